import { defineModel, flag, id, part, text } from '@dtplatform/mongo';
import type { RelatedIndex } from '../../domain/indexes/related-index.js';

/** An index, and how far it is built: the last related item that has its value. */
export interface StoredIndex extends RelatedIndex {
  filledTo?: { versionId: string; id: string };
}

export const relatedIndexModel = defineModel<StoredIndex>('related_indexes', {
  _id: id,
  _itemId: text,
  name: text,
  fields: [part<RelatedIndex['fields'][number]>({ path: text, kind: {} })],
  status: text,
  slot: Number,
  isMixed: flag,
  filledTo: part<NonNullable<StoredIndex['filledTo']>>({ versionId: text, id: text }),
});
relatedIndexModel.schema.index({ _itemId: 1, name: 1 }, { name: 'item', unique: true });
