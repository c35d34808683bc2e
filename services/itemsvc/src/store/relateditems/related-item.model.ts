import { defineModel, id, ifPresent, json, metadataWithoutNames } from '@dtplatform/mongo';
import { MAX_INDEXES } from '../../domain/indexes/related-index.js';
import type { RelatedItem, StoredRelatedItem } from '../../domain/relateditems/related-item.js';

export type OwnFields = Pick<
  StoredRelatedItem,
  '_id' | '_itemId' | '_versionId' | '_metadata' | '_revision' | '_indexed'
>;

/** The items in all versions of all collections. Open: callers add fields of their own. */
export const relatedItemModel = defineModel<OwnFields>(
  'related_items',
  { _id: id, _itemId: id, _versionId: id, _metadata: metadataWithoutNames, _revision: Number, _indexed: json },
  { open: true },
);
relatedItemModel.schema
  .index({ _itemId: 1, _versionId: 1, _id: 1 }, { name: 'version' })
  // Readings name the rows of telemetry collections.
  .index({ _versionId: 1, _sourceId: 1 }, { name: 'source', ...ifPresent('_sourceId') })
  // Finds the items whose `_related` names an item. Items without `_related` are not in this index.
  .index({ _itemId: 1, _versionId: 1, '_related._relatedToIds': 1 }, { name: 'relations', ...ifPresent('_related') })
  .index({ _itemId: 1, _versionId: 1, _fileId: 1, _id: 1 }, { name: 'file', ...ifPresent('_fileId') })
  .index(
    { '_indexed.t.i': 1, _versionId: 1, '_indexed.t.v': 'text' },
    { name: 'text', language_override: '_indexedLanguage', ...ifPresent('_indexed.t.i') },
  );
// The indexes that callers create share these (docs/adr/0064).
for (let slot = 0; slot < MAX_INDEXES; slot++) {
  const place = `_indexed.s${slot}`;
  relatedItemModel.schema.index(
    { [`${place}.i`]: 1, _versionId: 1, [`${place}.v`]: 1, _id: 1 },
    { name: `slot_${slot}`, ...ifPresent(`${place}.i`) },
  );
}

/** The total of a version's related items; stored under the version's id. */
export const TOTAL_KEY = 'relateditem';

/** Fields that callers do not see. */
export const HIDDEN_FIELDS = ['_itemId', '_versionId', '_revision', '_indexed', '_indexedLanguage'];

/** A stored related item without the fields that callers do not see. */
export const shownFields = (stored: StoredRelatedItem): RelatedItem =>
  Object.fromEntries(Object.entries(stored).filter(([name]) => !HIDDEN_FIELDS.includes(name))) as RelatedItem;
