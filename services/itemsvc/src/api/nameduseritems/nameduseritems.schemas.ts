import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';
import { booleanParameter, listParameter, nsfilter, pageOf } from '@dtplatform/http';
import { ITEM_CLASSES } from '../../domain/items/item-class.js';
import { listParameters, projectParameter } from '../list-parameters.js';
import { createdPageOf } from '../replies.js';

const MAX_ENTRIES = 1000;
const MAX_NAMESPACES = 100;

const Attributes = z.record(z.string(), z.unknown());
/** Usually an object; clients also keep scripts here, as text (docs/contract.md, "Version"). */
const UserData = z.union([Attributes, z.array(z.unknown()), z.string()]);

export const Metadata = z.object({
  _createdAt: z.number(),
  _updatedAt: z.number(),
  _createdById: z.string(),
  _updatedById: z.string(),
});

export const Version = z.object({
  _id: z.string(),
  _userItemDbId: z.string(),
  _isTip: z.boolean(),
  _version: z.number(),
  _userAttributes: Attributes,
  _userData: z.unknown(),
  _metadata: Metadata,
});

const TimeSeriesProperties = z.object({
  _granularity: z.enum(['seconds', 'minutes', 'hours']).optional(),
  /** Seconds. */
  _expiry: z.number().int().positive().optional(),
});

const Item = z.object({
  _id: z.string(),
  _userItemId: z.string(),
  _uri: z.string(),
  _irn: z.string(),
  _name: z.string(),
  _shortName: z.string(),
  _description: z.string(),
  _namespaces: z.array(z.string()),
  _userType: z.string(),
  _itemClass: z.enum(ITEM_CLASSES),
  _kind: z.string().optional(),
  _tsProperties: TimeSeriesProperties.optional(),
  _tipId: z.string(),
  _tipVersion: z.number(),
  _nextVersion: z.number(),
  _versionsCount: z.number(),
  _versions: z.array(Version),
  _metadata: Metadata,
});

/** What a projection may leave of a version, and of an item. */
export const ProjectedVersion = Version.extend({ _metadata: Metadata.partial() }).partial();
export const ProjectedItem = Item.extend({
  _versions: z.array(ProjectedVersion),
  _metadata: Metadata.partial(),
}).partial();
export const ItemPage = pageOf(ProjectedItem);
export const CreatedItems = createdPageOf(Item);

const Namespaces = z
  .array(Namespace)
  .min(1)
  .max(MAX_NAMESPACES)
  .transform((namespaces) => [...new Set(namespaces)]);
const Text = z.string().min(1).max(1024);

export const VersionBody = z.object({ _userAttributes: Attributes.optional(), _userData: UserData.optional() });
export type VersionBody = z.infer<typeof VersionBody>;

const NewItem = z
  .object({
    _name: Text,
    _shortName: z.string().min(1).max(22),
    _description: z.string().max(10_000),
    _namespaces: Namespaces,
    _userType: Text,
    _itemClass: z.enum(ITEM_CLASSES),
    _kind: Text.optional(),
    _tsProperties: TimeSeriesProperties.optional(),
    _version: VersionBody.optional(),
  })
  .superRefine(({ _itemClass, _version }, context) => {
    const field = REQUIRED_IN_VERSION.get(_itemClass);
    if (field && _version?.[field] === undefined) {
      context.addIssue({ code: 'custom', path: ['_version', field], message: `is required for ${_itemClass}` });
    }
  });

const REQUIRED_IN_VERSION = new Map<string, keyof VersionBody>([
  ['NamedCompositeItem', '_userAttributes'],
  ['Script', '_userData'],
  ['UserConfig', '_userData'],
]);

export const CreateItemsBody = z.array(NewItem).min(1).max(MAX_ENTRIES);
export type CreateItemsBody = z.infer<typeof CreateItemsBody>;

export const UpdateItemBody = z.object({
  _name: Text,
  _description: z.string().max(10_000),
  _namespaces: Namespaces,
  _userType: Text,
});
export type UpdateItemBody = z.infer<typeof UpdateItemBody>;

export const ItemParams = z.object({ id: z.string().min(1).max(128) });
export type ItemParams = z.infer<typeof ItemParams>;

export const WriteQuery = z.object({ nsfilter, transactional: booleanParameter.optional() });
export type WriteQuery = z.infer<typeof WriteQuery>;

export const ListItemsQuery = z.object(listParameters);
export type ListItemsQuery = z.infer<typeof ListItemsQuery>;

export const GetItemQuery = z.object({
  nsfilter,
  project: projectParameter,
  '_versions.all': booleanParameter.optional(),
  /** Numbers or ids of versions. */
  versions: listParameter(z.string().max(32)).optional(),
});
export type GetItemQuery = z.infer<typeof GetItemQuery>;
