import type { IndexPlan } from '@dtplatform/mongo';
import { queueIndexes } from '@dtplatform/queue';
import { ITEM_VERSIONS, ITEMS, RELATED_ITEMS, TELEMETRY_CONFIG_NAMES, TELEMETRY_CONFIGS } from './collections.js';

/** Lists are in the order of `_id` unless they say otherwise, so it ends the indexes that serve them. */
export const indexes: IndexPlan = {
  ...queueIndexes,
  [ITEMS]: [
    { name: 'user_item_id', key: { _userItemId: 1 }, unique: true },
    { name: 'namespace', key: { _namespaces: 1, _id: 1 } },
    { name: 'class', key: { _namespaces: 1, _itemClass: 1, _id: 1 } },
    { name: 'user_type', key: { _namespaces: 1, _userType: 1, _id: 1 } },
    { name: 'name', key: { _namespaces: 1, _name: 1, _id: 1 } },
    { name: 'attributes', key: { '_tip._userAttributes.$**': 1 } },
  ],
  [ITEM_VERSIONS]: [
    { name: 'item', key: { _userItemDbId: 1, _version: -1 }, unique: true },
    { name: 'attributes', key: { '_userAttributes.$**': 1 } },
  ],
  [RELATED_ITEMS]: [{ name: 'version', key: { _itemId: 1, _versionId: 1, _id: 1 } }],
  [TELEMETRY_CONFIGS]: [{ name: 'namespace', key: { _namespaces: 1, _id: 1 } }],
  [TELEMETRY_CONFIG_NAMES]: [{ name: 'config', key: { configId: 1 } }],
};
