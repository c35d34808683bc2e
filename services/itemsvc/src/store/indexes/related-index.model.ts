import { z } from 'zod';
import { modelOf } from '@dtplatform/mongo';
import { RelatedIndex } from '../../domain/indexes/related-index.js';

/** An index, and how far it is built: the last related item that has its value. */
const StoredIndex = RelatedIndex.extend({
  filledTo: z.object({ versionId: z.string(), id: z.string() }).optional(),
});
export type StoredIndex = z.infer<typeof StoredIndex>;

export const relatedIndexModel = modelOf('related_indexes', StoredIndex, {
  indexes: [{ key: { _itemId: 1, name: 1 }, name: 'item', unique: true }],
});
