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

export const NewVersion = Version.pick({ _userAttributes: true, _userData: true }).partial();
export type NewVersion = z.infer<typeof NewVersion>;

/** Which versions a reply shows instead of the tip alone: all, or those with these numbers and ids. */
export type VersionChoice = 'all' | { numbers: number[]; ids: string[] };

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
