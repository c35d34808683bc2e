import { z } from 'zod';

/** Writes kept per item. */
export const KEPT_WRITES = 1000;

/** A write of an item: a change of the item, or a version created, changed or deleted. */
export const LoggedWrite = z.object({
  _id: z.string(),
  _itemId: z.string(),
  /** Absent for a change of the item itself. */
  _versionId: z.string().optional(),
  /** The item's revision after the write. */
  _itemRevision: z.number(),
  _updatedBy: z.string().describe('The id of the user or app that made the change.'),
  _updatedAt: z.int().describe('When the change was made, in milliseconds since 1970.'),
});
export type LoggedWrite = z.infer<typeof LoggedWrite>;

export const UpdateLog = LoggedWrite.pick({ _updatedBy: true, _updatedAt: true }).meta({
  id: 'UpdateLog',
  description: 'Who changed a resource, and when.',
});
export type UpdateLog = z.infer<typeof UpdateLog>;
