import { defineModel, id, ifPresent, json, metadataWithoutNames, part } from '@dtplatform/mongo';
import { MAX_INDEXES } from '../../domain/indexes/related-index.js';
import type { StoredRelatedItem } from '../../domain/relateditems/related-item.js';

export type OwnFields = Pick<StoredRelatedItem, '_id' | '_metadata' | '_platform'>;

/** Who a related item belongs to, as a filter. */
export const IN_ITEM = '_platform.itemId';
export const IN_VERSION = '_platform.versionId';
/** What indexes see of a related item. */
export const INDEXED = '_platform.indexed';

/** The items in all versions of all collections. Open: callers add fields of their own. */
export const relatedItemModel = defineModel<OwnFields>(
  'related_items',
  {
    _id: id,
    _metadata: metadataWithoutNames,
    _platform: part<StoredRelatedItem['_platform']>({ itemId: id, versionId: id, revision: Number, indexed: json }),
  },
  { open: true },
);
relatedItemModel.schema
  .index({ [IN_ITEM]: 1, [IN_VERSION]: 1, _id: 1 }, { name: 'version' })
  // Readings name the rows of telemetry collections.
  .index({ [IN_VERSION]: 1, _sourceId: 1 }, { name: 'source', ...ifPresent('_sourceId') })
  // Finds the items whose `_related` names an item. Items without `_related` are not in this index.
  .index(
    { [IN_ITEM]: 1, [IN_VERSION]: 1, '_related._relatedToIds': 1 },
    { name: 'relations', ...ifPresent('_related') },
  )
  .index({ [IN_ITEM]: 1, [IN_VERSION]: 1, _fileId: 1, _id: 1 }, { name: 'file', ...ifPresent('_fileId') })
  .index(
    { [`${INDEXED}.t.i`]: 1, [IN_VERSION]: 1, [`${INDEXED}.t.v`]: 'text' },
    // A field that no document can have: by default, the field `language` of a caller would choose the language.
    { name: 'text', language_override: '_bsontype', ...ifPresent(`${INDEXED}.t.i`) },
  );
// The indexes that callers create share these (docs/adr/0064).
for (let slot = 0; slot < MAX_INDEXES; slot++) {
  const place = `${INDEXED}.s${slot}`;
  relatedItemModel.schema.index(
    { [`${place}.i`]: 1, [IN_VERSION]: 1, [`${place}.v`]: 1, _id: 1 },
    { name: `slot_${slot}`, ...ifPresent(`${place}.i`) },
  );
}

/** The total of a version's related items; stored under the version's id. */
export const TOTAL_KEY = 'relateditem';
