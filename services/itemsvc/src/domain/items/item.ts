import type { ItemClass } from './item-class.js';

/** Timestamps in milliseconds since 1970. */
export interface ItemMetadata {
  _createdAt: number;
  _updatedAt: number;
  _createdById: string;
  _updatedById: string;
}

/** One version of an item (docs/contract.md, "Version"). */
export interface Version {
  _id: string;
  _userItemDbId: string;
  _isTip: boolean;
  _version: number;
  _userAttributes: Record<string, unknown>;
  _userData: unknown;
  _metadata: ItemMetadata;
}

/** How a telemetry collection keeps its readings: their granularity, and after how many seconds they go. */
export interface TimeSeriesProperties {
  _granularity?: 'seconds' | 'minutes' | 'hours';
  _expiry?: number;
}

interface ItemFields {
  _id: string;
  _userItemId: string;
  _uri: string;
  _irn: string;
  _name: string;
  _shortName: string;
  _description: string;
  _namespaces: string[];
  _userType: string;
  _itemClass: ItemClass;
  _kind?: string;
  _tsProperties?: TimeSeriesProperties;
  _tipId: string;
  _tipVersion: number;
  _nextVersion: number;
  _versionsCount: number;
  _metadata: ItemMetadata;
}

/** A named item as it is stored: one document with its latest version inside. */
export interface Item extends ItemFields {
  _tip: Version;
}

/** A named item as callers see it (docs/contract.md, "Named user item"). */
export interface ShownItem extends ItemFields {
  _versions: Version[];
}

export const ITEM_TYPE = 'itemsvc:nameduseritem';

/** The resource name of an item, by which permissions know it. */
export const itemIrn = (id: string): string => `${ITEM_TYPE}:${id}`;

/**
 * An item, or what a projection left of it, as callers see it.
 * @param versions instead of the tip alone
 */
export function showItem(item: Partial<Item>, versions?: Partial<Version>[]): Partial<ShownItem> {
  const { _tip, ...fields } = item;
  const shown: Partial<ShownItem> = fields;
  if (versions) shown._versions = versions as Version[];
  else if (_tip) shown._versions = [_tip];
  return shown;
}
