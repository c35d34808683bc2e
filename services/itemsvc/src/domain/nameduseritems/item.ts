import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MAX_NAMESPACES, Namespace } from '@dtplatform/contracts';
import type { Resource } from '@dtplatform/permissions';
import { ItemMetadata, metadataOf } from '../item-metadata.js';
import type { Writing } from '../item-metadata.js';
import { newVersion, NewVersion, ProjectedVersion, Version } from '../versions/version.js';

/** The kinds of named items. */
export const ItemClass = z.enum([
  'NamedCompositeItem',
  'NamedFileCollection',
  'NamedUserCollection',
  'NamedTelemetryCollection',
  'Script',
  'UserConfig',
]);
export type ItemClass = z.infer<typeof ItemClass>;

const Text = z.string().min(1).max(1024);

/** How a telemetry collection keeps its readings: their granularity, and after how many seconds they expire. */
const TimeSeriesProperties = z.object({
  _granularity: z.enum(['seconds', 'minutes', 'hours']).optional(),
  _expiry: z.number().int().positive().optional(),
});

/** A named item (docs/contract.md, "Named user item"): one document with its latest version inside. */
export const Item = z.object({
  _id: z.string(),
  _userItemId: z.string(),
  _uri: z.string(),
  _irn: z.string(),
  _name: Text,
  _shortName: z.string().min(1).max(22),
  _description: z.string().max(10_000),
  _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES),
  _userType: Text,
  _itemClass: ItemClass,
  _kind: Text.optional(),
  _tsProperties: TimeSeriesProperties.optional(),
  _tipId: z.string(),
  _tipVersion: z.number(),
  _nextVersion: z.number(),
  _versionsCount: z.number(),
  _tip: Version,
  _metadata: ItemMetadata,
  _revision: z.number(),
});
export type Item = z.infer<typeof Item>;

/** An item as callers see it: with its versions in place of the tip. */
export const ShownItem = Item.omit({ _tip: true, _revision: true }).extend({ _versions: z.array(Version) });
export type ShownItem = z.infer<typeof ShownItem>;

/** What a projection leaves of an item. */
export const ProjectedItem = ShownItem.extend({
  _versions: z.array(ProjectedVersion),
  _metadata: ItemMetadata.partial(),
}).partial();

const distinctNamespaces = Item.shape._namespaces.transform((namespaces) => [...new Set(namespaces)]);
const REQUIRED_IN_VERSION: Partial<Record<ItemClass, keyof NewVersion>> = {
  NamedCompositeItem: '_userAttributes',
  Script: '_userData',
  UserConfig: '_userData',
};

export const NewItem = Item.pick({
  _name: true,
  _shortName: true,
  _description: true,
  _userType: true,
  _itemClass: true,
  _kind: true,
  _tsProperties: true,
})
  .extend({ _namespaces: distinctNamespaces, _version: NewVersion.optional() })
  .superRefine(({ _itemClass, _version }, context) => {
    const field = REQUIRED_IN_VERSION[_itemClass];
    if (field && _version?.[field] === undefined) {
      context.addIssue({ code: 'custom', path: ['_version', field], message: `is required for ${_itemClass}` });
    }
  });
export type NewItem = z.infer<typeof NewItem>;

export const ItemChange = Item.pick({ _name: true, _description: true, _userType: true }).extend({
  _namespaces: distinctNamespaces,
});
export type ItemChange = z.infer<typeof ItemChange>;

export const ITEM_TYPE = 'itemsvc:nameduseritem';

/** The resource name of an item, by which permissions know it. */
const itemIrn = (id: string): string => `${ITEM_TYPE}:${id}`;

/** An item as the permissions in one of its namespaces see it. */
export const itemIn = ({ _id, _itemClass, _userType }: Item, namespace: string): Resource => ({
  _irn: itemIrn(_id),
  _namespaces: [namespace],
  _itemClass,
  _userType,
});

/**
 * An item, or what a projection leaves of it, as callers see it.
 * @param versions instead of the tip alone
 */
export function showItem(item: Partial<Item>, versions?: Partial<Version>[]): Partial<ShownItem> {
  const { _tip, _revision, ...fields } = item;
  const shown: Partial<ShownItem> = fields;
  if (versions) shown._versions = versions as Version[];
  else if (_tip) shown._versions = [_tip];
  return shown;
}

/** Makes an item with its first version. */
export function newItem(wanted: NewItem, ids: { item: string; version: string }, writing: Writing): Item {
  const { _version, _kind, _tsProperties, ...named } = wanted;
  return {
    _id: ids.item,
    _userItemId: newUserItemId(wanted._shortName),
    _uri: `/nameduseritems/${ids.item}`,
    _irn: itemIrn(ids.item),
    ...named,
    ...(_kind !== undefined && { _kind }),
    ...(_tsProperties && wanted._itemClass === 'NamedTelemetryCollection' && { _tsProperties }),
    _tipId: ids.version,
    _tipVersion: 1,
    _nextVersion: 2,
    _versionsCount: 1,
    _tip: newVersion(_version ?? {}, { id: ids.version, itemId: ids.item, number: 1 }, writing),
    _metadata: metadataOf(writing),
    _revision: 0,
  };
}

const SUFFIX_BYTES = 9;

/** The short name, reduced to characters that need no escape in a path, with a random suffix. Never looks like an `_id`. */
const newUserItemId = (shortName: string) =>
  `${shortName.replace(/[^\w-]+/g, '-')}_${randomBytes(SUFFIX_BYTES).toString('base64url')}`;
