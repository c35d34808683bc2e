import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';

/** What is still to be done about an app, workspace, user or permission profile that was deleted (docs/adr/0036). Callers do not see it. */
export const Deletion = z.object({
  /** The id of what was deleted. */
  _id: z.string(),
  kind: z.enum(['app', 'workspace', 'user', 'profile']),
  namespaces: z.array(Namespace),
  /** How often it was finished. The second time is for what running requests wrote after the first. */
  rounds: z.number().int().min(0),
  /** When a sweep finishes it. */
  dueAt: z.number(),
});
export type Deletion = z.infer<typeof Deletion>;

/** A sweep finishes what the request itself did not within this time. */
const DUE_AFTER_MS = 10_000;

/** What is to be done about an app, workspace or permission profile that is being deleted. */
export const newDeletion = (
  kind: Deletion['kind'],
  { _id, _namespaces }: { _id: string; _namespaces: string[] },
): Deletion => ({ _id, kind, namespaces: _namespaces, rounds: 0, dueAt: Date.now() + DUE_AFTER_MS });

/** The same for a user. It is due at once: the request that deletes the user does not insist on it. */
export const newUserDeletion = (_id: string): Deletion => ({
  _id,
  kind: 'user',
  namespaces: [],
  rounds: 0,
  dueAt: Date.now(),
});
