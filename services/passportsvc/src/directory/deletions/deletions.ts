import { z } from 'zod';
import { Namespace } from '@dtplatform/contracts';
import { tryEach } from '@dtplatform/errors';
import type { GrantSource } from '@dtplatform/permissions';
import type { AppStore } from '../apps/apps.store.js';
import type { DeletionStore } from './deletions.store.js';

/** The remaining cleanup of a deleted app, workspace, user or permission profile. Internal. */
export const Deletion = z.object({
  _id: z.string(),
  kind: z.enum(['app', 'workspace', 'user', 'profile']),
  namespaces: z.array(Namespace),
  /** Completed rounds. The second round catches writes of requests that were running during the first. */
  rounds: z.number().int().min(0),
  dueAt: z.number(),
});
export type Deletion = z.infer<typeof Deletion>;

/** How long the request has before a sweep takes over. */
const DUE_AFTER_MS = 10_000;

export const newDeletion = (
  kind: Deletion['kind'],
  { _id, _namespaces }: { _id: string; _namespaces: string[] },
): Deletion => ({ _id, kind, namespaces: _namespaces, rounds: 0, dueAt: Date.now() + DUE_AFTER_MS });

/** Due at once: the deleting request does not wait for it. */
export const newUserDeletion = (_id: string): Deletion => ({
  _id,
  kind: 'user',
  namespaces: [],
  rounds: 0,
  dueAt: Date.now(),
});

const ROUNDS = 2;
/** Longer than most requests that were authorized before the namespaces were closed. */
const NEXT_ROUND_MS = 2 * 60_000;
const AT_ONCE = 20;
/** Per sweep: a stopping process waits for it. */
const MAX_BATCHES = 10;

interface Deps {
  deletionStore: DeletionStore;
  appStore: Pick<AppStore, 'find'>;
  grants: GrantSource;
  /** Rejects all access tokens of a subject that were issued so far. */
  refuseTokensOf: (subjectId: string) => Promise<void>;
}

export type Deletions = ReturnType<typeof createDeletions>;

export function createDeletions({ deletionStore, appStore, grants, refuseTokensOf }: Deps) {
  const close = async ({ namespaces }: Deletion): Promise<void> => {
    if (namespaces.length > 0) await grants.close(namespaces);
  };
  const end: Record<Deletion['kind'], (deletion: Deletion) => Promise<void>> = {
    workspace: close,
    async app(deletion) {
      await close(deletion);
      await deletionStore.removeLeftoversOfApp(deletion._id);
      // The bootstrap may have recreated the app.
      if (!(await appStore.find(deletion._id))) await grants.removeApp(deletion._id);
    },
    async user({ _id }) {
      // Before the removal, so that concurrent writers of the user's permissions see the mark.
      await refuseTokensOf(_id);
      await grants.removeUser(_id);
    },
    async profile({ _id, namespaces }) {
      // The removal may keep the last owner's record, which then grants nothing.
      await refuseTokensOf(_id);
      await grants.removeProfile(_id, namespaces);
    },
  };

  /**
   * Ends all access, then removes the rest, or has the owning services remove it. The deletion is recorded with the
   * removal itself, so a sweep repeats it after a failure or crash.
   */
  async function finish(deletion: Deletion): Promise<void> {
    await end[deletion.kind](deletion);
    const isLast = deletion.rounds + 1 >= ROUNDS;
    await deletionStore.completeRound(deletion, isLast ? undefined : Date.now() + NEXT_ROUND_MS);
  }

  return {
    finish,
    /** @returns how many due deletions their requests should have finished */
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
