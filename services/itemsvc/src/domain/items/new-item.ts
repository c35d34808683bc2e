import { randomBytes } from 'node:crypto';
import type { ItemClass } from './item-class.js';
import { itemIrn } from './item.js';
import type { Item, ItemMetadata, TimeSeriesProperties, Version } from './item.js';

export interface VersionDraft {
  _userAttributes?: Record<string, unknown>;
  _userData?: unknown;
}

/** What a caller says of an item to be created. */
export interface ItemDraft {
  _name: string;
  _shortName: string;
  _description: string;
  _namespaces: string[];
  _userType: string;
  _itemClass: ItemClass;
  _kind?: string;
  _tsProperties?: TimeSeriesProperties;
  _version?: VersionDraft;
}

/** Who writes, and when (milliseconds since 1970). */
export interface Writing {
  byId: string;
  at: number;
}

/** Makes an item with its first version. */
export function newItem(draft: ItemDraft, ids: { item: string; version: string }, writing: Writing): Item {
  const { _version, _kind, _tsProperties, ...named } = draft;
  return {
    _id: ids.item,
    _userItemId: newUserItemId(draft._shortName),
    _uri: `/nameduseritems/${ids.item}`,
    _irn: itemIrn(ids.item),
    ...named,
    ...(_kind !== undefined && { _kind }),
    ...(_tsProperties && draft._itemClass === 'NamedTelemetryCollection' && { _tsProperties }),
    _tipId: ids.version,
    _tipVersion: 1,
    _nextVersion: 2,
    _versionsCount: 1,
    _tip: newVersion(_version ?? {}, { id: ids.version, itemId: ids.item, number: 1 }, writing),
    _metadata: metadataOf(writing),
  };
}

/** Makes a version that is its item's tip. */
export const newVersion = (
  draft: VersionDraft,
  { id, itemId, number }: { id: string; itemId: string; number: number },
  writing: Writing,
): Version => ({
  _id: id,
  _userItemDbId: itemId,
  _isTip: true,
  _version: number,
  _userAttributes: draft._userAttributes ?? {},
  _userData: draft._userData ?? {},
  _metadata: metadataOf(writing),
});

export const metadataOf = ({ byId, at }: Writing): ItemMetadata => ({
  _createdAt: at,
  _updatedAt: at,
  _createdById: byId,
  _updatedById: byId,
});

const SUFFIX_BYTES = 9;

/** The short name, reduced to what needs no escape in a path, with a random suffix. Never looks like an `_id`. */
const newUserItemId = (shortName: string) =>
  `${shortName.replace(/[^\w-]+/g, '-')}_${randomBytes(SUFFIX_BYTES).toString('base64url')}`;
