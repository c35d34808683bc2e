import { z } from 'zod';

/** How many writes the log of an item keeps: the latest. */
export const KEPT_WRITES = 1000;

/** One write of an item: it was changed, or one of its versions was created, changed or deleted. */
export const LoggedWrite = z.object({
  _id: z.string(),
  _itemId: z.string(),
  /** The version that was written; absent for a change of the item itself. */
  _versionId: z.string().optional(),
  /** The revision that the write gave the item. */
  _itemRevision: z.number(),
  _updatedBy: z.string().describe('The id of the user or app that made the change.'),
  _updatedAt: z.int().describe('When the change was made, in milliseconds since 1970.'),
});
export type LoggedWrite = z.infer<typeof LoggedWrite>;

/** What callers see of it (docs/contract.md, "Update logs"). */
export const UpdateLog = LoggedWrite.pick({ _updatedBy: true, _updatedAt: true }).meta({
  id: 'UpdateLog',
  description: 'Who changed a resource, and when.',
});
export type UpdateLog = z.infer<typeof UpdateLog>;
