import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';
import { tryEach } from '@dtplatform/errors';
import type { GrantSource } from '@dtplatform/permissions';
import type { AppStore } from '../apps/apps.store.js';
import type { DeletionStore } from './deletions.store.js';

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

const ROUNDS = 2;
/** Longer than most requests take that were permitted before the namespaces were closed. */
const NEXT_ROUND_MS = 2 * 60_000;
const AT_ONCE = 20;
/** In one sweep, which a stopping process waits for. */
const MAX_BATCHES = 10;

interface Deps {
  deletionStore: DeletionStore;
  appStore: Pick<AppStore, 'find'>;
  grants: GrantSource;
  /** Rejects all access tokens of a subject that were issued until now. */
  refuseTokensOf: (subjectId: string) => Promise<void>;
}

export type Deletions = ReturnType<typeof createDeletions>;

/** What follows when an app, workspace, user or permission profile is deleted. */
export function createDeletions({ deletionStore, appStore, grants, refuseTokensOf }: Deps) {
  const close = async ({ namespaces }: Deletion): Promise<void> => {
    if (namespaces.length > 0) await grants.close(namespaces);
  };
  const end: Record<Deletion['kind'], (deletion: Deletion) => Promise<void>> = {
    workspace: close,
    async app(deletion) {
      await close(deletion);
      await deletionStore.removeLeftoversOfApp(deletion._id);
      // The bootstrap may have created an app with this id again.
      if (!(await appStore.find(deletion._id))) await grants.removeApp(deletion._id);
    },
    async user({ _id }) {
      // First, so that whoever writes a permission of the user after the removal sees the mark (docs/adr/0050).
      await refuseTokensOf(_id);
      await grants.removeUser(_id);
    },
    async profile({ _id, namespaces }) {
      // It may keep the last record of an owner, which then grants nothing.
      await refuseTokensOf(_id);
      await grants.removeProfile(_id, namespaces);
    },
  };

  /**
   * Ends all access, then removes what else there is, or has it removed by the services that hold it. The deletion was recorded
   * with the removal itself: if this fails or the process dies, the sweep does it again.
   */
  async function finish(deletion: Deletion): Promise<void> {
    await end[deletion.kind](deletion);
    const isLast = deletion.rounds + 1 >= ROUNDS;
    await deletionStore.completeRound(deletion, isLast ? undefined : Date.now() + NEXT_ROUND_MS);
  }

  return {
    finish,
    /** Finishes deletions that are due. @returns how many of them their request should have finished */
    async finishDue(): Promise<number> {
      let late = 0;
      for (let batch = 0; batch < MAX_BATCHES; batch++) {
        const due = await deletionStore.listDue(Date.now(), AT_ONCE);
        await tryEach(due, finish);
        late += due.filter(({ kind, rounds }) => kind !== 'user' && rounds === 0).length;
        if (due.length < AT_ONCE) break;
      }
      return late;
    },
  };
}
