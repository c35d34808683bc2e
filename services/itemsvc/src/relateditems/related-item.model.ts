import { ifPresent, modelOf } from '@dtplatform/mongo';
import { MAX_INDEXES } from '../indexes/related-index.js';
import { StoredRelatedItem } from './related-item.js';

/** Paths of the owner of a related item. */
export const IN_ITEM = '_platform.itemId';
export const IN_VERSION = '_platform.versionId';
/** Path of the index entries. */
export const INDEXED = '_platform.indexed';

/**
 * Shared by the indexes that callers create: a collection takes 64, too few for one per tenant. A value is never an array,
 * because one array makes the index multikey for every tenant, and MongoDB then no longer combines the bounds of a range.
 */
const slots = Array.from({ length: MAX_INDEXES }, (_, slot) => {
  const place = `${INDEXED}.s${slot}`;
  return {
    key: { [`${place}.i`]: 1, [IN_VERSION]: 1, [`${place}.v`]: 1, _id: 1 } as const,
    name: `slot_${slot}`,
    ...ifPresent(`${place}.i`),
  };
});

export const relatedItemModel = modelOf('related_items', StoredRelatedItem, {
  indexes: [
    { key: { [IN_ITEM]: 1, [IN_VERSION]: 1, _id: 1 }, name: 'version' },
    // Readings refer to telemetry items by source id.
    { key: { [IN_VERSION]: 1, _sourceId: 1 }, name: 'source', ...ifPresent('_sourceId') },
    // Finds the items whose `_related` names an item. Partial: only items with `_related`.
    {
      key: { [IN_ITEM]: 1, [IN_VERSION]: 1, '_related._relatedToIds': 1 },
      name: 'relations',
      ...ifPresent('_related'),
    },
    { key: { [IN_ITEM]: 1, [IN_VERSION]: 1, _fileId: 1, _id: 1 }, name: 'file', ...ifPresent('_fileId') },
    {
      key: { [`${INDEXED}.t.i`]: 1, [IN_VERSION]: 1, [`${INDEXED}.t.v`]: 'text' },
      name: 'text',
      // A field that no document has. The default, `language`, would let a caller's field choose the language.
      language_override: '_bsontype',
      ...ifPresent(`${INDEXED}.t.i`),
    },
    ...slots,
  ],
});

/** The total of a version's related items, stored under the version's id. */
export const TOTAL_KEY = 'relateditem';
