import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';

/** An app or workspace that was deleted, and what is still to be done about it (docs/adr/0036). Callers do not see it. */
export const Deletion = z.object({
  /** The id of the app or workspace. */
  _id: z.string(),
  kind: z.enum(['app', 'workspace']),
  namespaces: z.array(Namespace),
  /** How often it was finished. The second time is for what running requests wrote after the first. */
  rounds: z.number().int().min(0),
  /** When a sweep finishes it. */
  dueAt: z.number(),
});
export type Deletion = z.infer<typeof Deletion>;
