import type { Db } from 'mongodb';
import type { Item, Version } from '../domain/items/item.js';
import type { RelatedItem } from '../domain/related-items/related-item.js';
import type { TelemetryConfig } from '../domain/telemetry/telemetry-config.js';

/** A version that is not the tip any more. The namespaces are its item's, for queries; nobody sees them. */
export interface OlderVersion extends Version {
  _namespaces: string[];
}

/** A related item with what it belongs to, which nobody sees. */
export interface StoredRelatedItem extends RelatedItem {
  _itemId: string;
  _versionId: string;
}

/** Holds a short name in a namespace, from the moment in which a configuration was accepted. */
export interface TakenName {
  /** `<namespace>/<short name>` */
  _id: string;
  configId: string;
  taskId: string;
}

export const ITEMS = 'items';
export const ITEM_VERSIONS = 'item_versions';
export const RELATED_ITEMS = 'related_items';
export const TELEMETRY_CONFIGS = 'telemetry_configs';
export const TELEMETRY_CONFIG_NAMES = 'telemetry_config_names';

export const collectionsOf = (db: Db) => ({
  items: db.collection<Item>(ITEMS),
  versions: db.collection<OlderVersion>(ITEM_VERSIONS),
  relatedItems: db.collection<StoredRelatedItem>(RELATED_ITEMS),
  telemetryConfigs: db.collection<TelemetryConfig>(TELEMETRY_CONFIGS),
  takenNames: db.collection<TakenName>(TELEMETRY_CONFIG_NAMES),
});
export type Collections = ReturnType<typeof collectionsOf>;
