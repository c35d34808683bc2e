import { ifPresent, modelOf } from '@dtplatform/mongo';
import { MAX_INDEXES } from '../indexes/related-index.js';
import { StoredRelatedItem } from './related-item.js';

/** Who a related item belongs to, as a filter. */
export const IN_ITEM = '_platform.itemId';
export const IN_VERSION = '_platform.versionId';
/** What indexes see of a related item. */
export const INDEXED = '_platform.indexed';

/** The indexes that callers create share these (docs/adr/0064). */
const slots = Array.from({ length: MAX_INDEXES }, (_, slot) => {
  const place = `${INDEXED}.s${slot}`;
  return {
    key: { [`${place}.i`]: 1, [IN_VERSION]: 1, [`${place}.v`]: 1, _id: 1 } as const,
    name: `slot_${slot}`,
    ...ifPresent(`${place}.i`),
  };
});

/** The items in all versions of all collections. */
export const relatedItemModel = modelOf('related_items', StoredRelatedItem, {
  indexes: [
    { key: { [IN_ITEM]: 1, [IN_VERSION]: 1, _id: 1 }, name: 'version' },
    // Readings name the rows of telemetry collections.
    { key: { [IN_VERSION]: 1, _sourceId: 1 }, name: 'source', ...ifPresent('_sourceId') },
    // Finds the items whose `_related` names an item. Items without `_related` are not in this index.
    {
      key: { [IN_ITEM]: 1, [IN_VERSION]: 1, '_related._relatedToIds': 1 },
      name: 'relations',
      ...ifPresent('_related'),
    },
    { key: { [IN_ITEM]: 1, [IN_VERSION]: 1, _fileId: 1, _id: 1 }, name: 'file', ...ifPresent('_fileId') },
    {
      key: { [`${INDEXED}.t.i`]: 1, [IN_VERSION]: 1, [`${INDEXED}.t.v`]: 'text' },
      name: 'text',
      // A field that no document can have: by default, the field `language` of a caller would choose the language.
      language_override: '_bsontype',
      ...ifPresent(`${INDEXED}.t.i`),
    },
    ...slots,
  ],
});

/** The total of a version's related items; stored under the version's id. */
export const TOTAL_KEY = 'relateditem';
