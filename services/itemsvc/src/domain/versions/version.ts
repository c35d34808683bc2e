import { z } from 'zod';
import { ItemMetadata, metadataOf } from '../item-metadata.js';
import type { Writing } from '../item-metadata.js';

const Attributes = z.record(z.string(), z.unknown());
/** Usually an object; clients also keep scripts here, as text. */
const UserData = z.union([Attributes, z.array(z.unknown()), z.string()]);

/** One version of an item (docs/contract.md, "Version"). */
export const Version = z.object({
  _id: z.string(),
  _userItemDbId: z.string(),
  _isTip: z.boolean(),
  _version: z.number(),
  _userAttributes: Attributes,
  _userData: UserData,
  _metadata: ItemMetadata,
});
export type Version = z.infer<typeof Version>;

/** A version that is no longer the tip. Its item's namespaces are stored with it for queries; callers do not see them. */
export const OlderVersion = Version.extend({ _namespaces: z.array(z.string()) });
export type OlderVersion = z.infer<typeof OlderVersion>;

/** What a projection leaves of a version. */
export const ProjectedVersion = Version.extend({ _metadata: ItemMetadata.partial() }).partial();

/** Queries name attributes by their paths: a key that could not be part of one would be stored and never be found. */
const NewAttributes = Attributes.refine((attributes) => !hasPathCharacters(attributes), {
  message: 'must not have keys that hold a dot or begin with $',
});

const hasPathCharacters = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, inside]) => key.startsWith('$') || key.includes('.') || hasPathCharacters(inside));

export const NewVersion = z.object({ _userAttributes: NewAttributes, _userData: UserData }).partial();
export type NewVersion = z.infer<typeof NewVersion>;

/** Which versions a reply shows instead of the tip alone: all, or those with these numbers and ids. */
export type VersionChoice = 'all' | { numbers: number[]; ids: string[] };

/** A version with other data, where they are given. */
export const changedVersion = (version: Version, change: NewVersion, { byId, at }: Writing): Version => ({
  ...version,
  ...(change._userAttributes && { _userAttributes: change._userAttributes }),
  ...(change._userData !== undefined && { _userData: change._userData }),
  _metadata: { ...version._metadata, _updatedAt: at, _updatedById: byId },
});

/** Makes a version that is its item's tip. */
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
