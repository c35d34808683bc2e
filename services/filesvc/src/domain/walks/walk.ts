import { z } from 'zod';

/** How far a walk through all documents of a collection has come. It is made once, after an upgrade. */
export const Walk = z.object({
  _id: z.enum(['ancestors', 'previews']),
  /** By then no process of the version before the upgrade runs any more. */
  notBefore: z.date(),
  /** The last document that was looked at. */
  after: z.string().optional(),
  /** When it was looked at. */
  steppedAt: z.date().optional(),
  /** Messages that the last step has sent. */
  sent: z.array(z.string()).optional(),
  /** Documents that were changed since the walk last began. */
  changed: z.int(),
  finishedAt: z.date().optional(),
});
export type Walk = z.infer<typeof Walk>;

/** Whether there is something to do. */
export const isDue = (walk: Walk | undefined): walk is Walk =>
  walk !== undefined && !walk.finishedAt && walk.notBefore.getTime() <= Date.now();
