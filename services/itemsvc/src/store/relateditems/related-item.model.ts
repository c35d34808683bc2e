import { defineModel, id, metadataWithoutNames } from '@dtplatform/mongo';
import type { StoredRelatedItem } from '../../domain/relateditems/related-item.js';

export type OwnFields = Pick<StoredRelatedItem, '_id' | '_itemId' | '_versionId' | '_metadata'>;

/** The items in all versions of all collections. Open: callers add fields of their own. */
export const relatedItemModel = defineModel<OwnFields>(
  'related_items',
  { _id: id, _itemId: id, _versionId: id, _metadata: metadataWithoutNames },
  { open: true },
);
relatedItemModel.schema.index({ _itemId: 1, _versionId: 1, _id: 1 }, { name: 'version' });
