import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MAX_NAMESPACES, Namespace } from '@dtplatform/contracts';
import type { Resource } from '@dtplatform/permissions';
import { newVersion, NewVersion, ProjectedVersion, Version } from '../versions/version.js';
import { ItemMetadata, metadataOf, ProjectedMetadata } from './item-metadata.js';
import type { Writing } from './item-metadata.js';

export const ItemClass = z
  .enum([
    'NamedCompositeItem',
    'NamedFileCollection',
    'NamedUserCollection',
    'NamedTelemetryCollection',
    'Script',
    'UserConfig',
  ])
  .describe('The kind of the item, which never changes.');
export type ItemClass = z.infer<typeof ItemClass>;

const Text = z.string().min(1).max(1024);

const TimeSeriesProperties = z.object({
  _granularity: z
    .enum(['seconds', 'minutes', 'hours'])
    .optional()
    .describe('The approximate interval between the readings of a telemetry item; `seconds` by default.'),
  _expiry: z
    .int()
    .positive()
    .optional()
    .describe('The number of seconds after which readings expire; never by default.'),
});

/** A named item (docs/contract.md, "Named user items"), stored as one document with its latest version, the tip. */
export const Item = z.object({
  _id: z.string().describe('The id of the item: 24 hexadecimal digits.'),
  _userItemId: z
    .string()
    .describe('The short name with a random suffix, which paths accept instead of the `_id`; it never changes.'),
  _uri: z.string().describe('The path of the item, relative to the service: `/nameduseritems/<_id>`.'),
  _irn: z.string().describe('The resource name that permissions use: `itemsvc:nameduseritem:<_id>`.'),
  _name: Text.describe('The long name.'),
  _shortName: z.string().min(1).max(22).describe('The short name, which need not be unique and never changes.'),
  _description: z.string().max(10_000).describe('A description; may be empty.'),
  _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES).describe('The namespaces that the item belongs to.'),
  /** Hidden from callers (`homeOf` of libs/permissions). */
  _home: Namespace,
  _userType: Text.describe('A type chosen by the caller, to group and find items.'),
  _itemClass: ItemClass,
  _kind: Text.optional().describe('A second type chosen by the caller, such as `collection`.'),
  _tsProperties: TimeSeriesProperties.optional().describe(
    'How a telemetry collection stores its readings; ignored for other classes.',
  ),
  _tipId: z.string().describe('The id of the tip, which is the latest version.'),
  _tipVersion: z.int().describe('The number of the tip.'),
  _nextVersion: z.int().describe('The number of the next version: `_tipVersion` + 1.'),
  _versionsCount: z.int().describe('The number of versions.'),
  _tip: Version,
  _metadata: ItemMetadata,
  _revision: z.number(),
});
export type Item = z.infer<typeof Item>;

/** An item in responses: versions in place of the tip. */
export const ShownItem = Item.omit({ _home: true, _tip: true, _revision: true })
  .extend({ _versions: z.array(Version).describe('Only the tip.') })
  .meta({ id: 'Item', description: 'A named item with its latest version.' });
export type ShownItem = z.infer<typeof ShownItem>;

export const ProjectedItem = ShownItem.extend({
  _versions: z.array(ProjectedVersion).describe('The tip, or the requested versions, highest number first.'),
  _metadata: ProjectedMetadata,
})
  .partial()
  .meta({ id: 'ProjectedItem', description: 'A named item, possibly reduced by a projection.' });

const distinctNamespaces = Item.shape._namespaces
  .transform((namespaces) => [...new Set(namespaces)])
  .describe('The namespaces that the item belongs to, including `nsfilter`.');
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
  .extend({
    _namespaces: distinctNamespaces,
    _version: NewVersion.optional().describe(
      'The first version, empty by default; `_userAttributes` is required for a `NamedCompositeItem`, `_userData` for a `Script` or `UserConfig`.',
    ),
  })
  .superRefine(({ _itemClass, _version }, context) => {
    const field = REQUIRED_IN_VERSION[_itemClass];
    if (field && _version?.[field] === undefined) {
      context.addIssue({ code: 'custom', path: ['_version', field], message: `is required for ${_itemClass}` });
    }
  })
  .meta({ id: 'NewItem', description: 'A named item to create.' });
export type NewItem = z.infer<typeof NewItem>;

export const ItemChange = Item.pick({ _name: true, _description: true, _userType: true })
  .extend({ _namespaces: distinctNamespaces })
  .meta({ id: 'ItemChange', description: 'New values of a named item. Other fields cannot be changed.' });
export type ItemChange = z.infer<typeof ItemChange>;

export const ITEM_TYPE = 'itemsvc:nameduseritem';
/** Actions that permissions on an item can grant, besides SHARE. CREATE is for related items. */
export const ITEM_ACTIONS = ['READ', 'CREATE', 'EDIT', 'DELETE'] as const;

const itemIrn = (id: string): string => `${ITEM_TYPE}:${id}`;

/** The resource that permissions in one of its namespaces apply to. */
export const itemIn = ({ _id, _itemClass, _userType }: Item, namespace: string): Resource => ({
  _irn: itemIrn(_id),
  _namespaces: [namespace],
  _itemClass,
  _userType,
});

export function showItem(item: Partial<Item>, versions?: Partial<Version>[]): Partial<ShownItem> {
  const { _home, _tip, _revision, ...fields } = item;
  const shown: Partial<ShownItem> = fields;
  if (versions) shown._versions = versions as Version[];
  else if (_tip) shown._versions = [_tip];
  return shown;
}

/** Creates an item with its first version. @param home the `nsfilter` of the call */
export function newItem(wanted: NewItem, home: string, ids: { item: string; version: string }, writing: Writing): Item {
  const { _version, _kind, _tsProperties, ...named } = wanted;
  return {
    _id: ids.item,
    _userItemId: newUserItemId(wanted._shortName),
    _uri: `/nameduseritems/${ids.item}`,
    _irn: itemIrn(ids.item),
    ...named,
    _home: home,
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

/** The short name with unsafe path characters removed, and a random suffix. Never looks like an `_id`. */
const newUserItemId = (shortName: string) =>
  `${shortName.replace(/[^\w-]+/g, '-')}_${randomBytes(SUFFIX_BYTES).toString('base64url')}`;
