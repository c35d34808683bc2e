import { z } from 'zod';
import { Attributes } from '@dtplatform/contracts';
import { ItemMetadata, metadataOf, ProjectedMetadata } from '../nameduseritems/item-metadata.js';
import type { Writing } from '../nameduseritems/item-metadata.js';

const Json = z.record(z.string(), z.unknown());
const UserData = z
  .union([Json, z.array(z.unknown()), z.string()])
  .describe('Any data: an object, an array, or text such as the source of a script.');

export const Version = z
  .object({
    _id: z.string().describe('The id of the version.'),
    _userItemDbId: z.string().describe('The `_id` of the item.'),
    _isTip: z.boolean().describe('Whether this is the tip, which is the latest version.'),
    _version: z.int().describe('The number of the version, from 1.'),
    _userAttributes: Json.describe('Attributes set by the caller.'),
    _userData: UserData,
    _metadata: ItemMetadata,
  })
  .meta({ id: 'Version', description: 'A version of a named item.' });
export type Version = z.infer<typeof Version>;

/** Stored with its item's namespaces, for queries; hidden from callers. */
export const OlderVersion = Version.extend({ _namespaces: z.array(z.string()) });
export type OlderVersion = z.infer<typeof OlderVersion>;

export const ProjectedVersion = Version.extend({ _metadata: ProjectedMetadata })
  .partial()
  .meta({ id: 'ProjectedVersion', description: 'A version of a named item, possibly reduced by a projection.' });

export const NewVersion = z
  .object({
    _userAttributes: Attributes.describe(
      'Attributes of the version. Keys at any depth must not contain a dot or begin with `$`.',
    ),
    _userData: UserData,
  })
  .partial()
  .meta({ id: 'VersionContent', description: 'Attributes and data of a version.' });
export type NewVersion = z.infer<typeof NewVersion>;

/** The versions that a response shows instead of the tip: all, or some by number and id. */
export type VersionChoice = 'all' | { numbers: number[]; ids: string[] };

/** Absent fields of the change keep their values. */
export const changedVersion = (version: Version, change: NewVersion, { byId, at }: Writing): Version => ({
  ...version,
  ...(change._userAttributes && { _userAttributes: change._userAttributes }),
  ...(change._userData !== undefined && { _userData: change._userData }),
  _metadata: { ...version._metadata, _updatedAt: at, _updatedById: byId },
});

export const newVersion = (
  { _userAttributes = {}, _userData = {} }: NewVersion,
  { id, itemId, number }: { id: string; itemId: string; number: number },
  writing: Writing,
): Version => ({
  _id: id,
  _userItemDbId: itemId,
  _isTip: true,
  _version: number,
  _userAttributes,
  _userData,
  _metadata: metadataOf(writing),
});
