import type { GrantSource } from '@dtplatform/permissions';
import type { Deletion } from './deletion.js';
import type { DeletionStore } from './ports.js';

const ROUNDS = 2;
/** Longer than most requests take that were permitted before the namespaces were closed. */
const NEXT_ROUND_MS = 2 * 60_000;
const AT_ONCE = 20;

interface Deps {
  deletionStore: DeletionStore;
  grants: GrantSource;
}

export type Deletions = ReturnType<typeof createDeletions>;

/** What follows when an app or workspace is deleted. */
export function createDeletions({ deletionStore, grants }: Deps) {
  /**
   * Closes the namespaces, then has removed what is left. The deletion was recorded with the removal of the app or workspace: if
   * this fails or the process dies, the sweep does it again.
   */
  async function finish(deletion: Deletion): Promise<void> {
    if (deletion.namespaces.length > 0) await grants.close(deletion.namespaces);
    if (deletion.kind === 'app') await deletionStore.removeLeftoversOfApp(deletion._id);
    const isLast = deletion.rounds + 1 >= ROUNDS;
    await deletionStore.completeRound(deletion, isLast ? undefined : Date.now() + NEXT_ROUND_MS);
  }

  return {
    finish,
    /** Finishes deletions that are due. @returns how many */
    async finishDue(): Promise<number> {
      const due = await deletionStore.listDue(Date.now(), AT_ONCE);
      for (const deletion of due) await finish(deletion);
      return due.length;
    },
  };
}

/** A sweep finishes what the request itself did not within this time. */
const DUE_AFTER_MS = 10_000;

/** What is to be done about an app or workspace that is being deleted. */
export const newDeletion = (kind: Deletion['kind'], { _id, _namespaces }: { _id: string; _namespaces: string[] }) => ({
  _id,
  kind,
  namespaces: _namespaces,
  rounds: 0,
  dueAt: Date.now() + DUE_AFTER_MS,
});
