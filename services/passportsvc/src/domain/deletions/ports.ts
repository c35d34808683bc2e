import type { Deletion } from './deletion.js';

export interface DeletionStore {
  /** Deletions that are due, the oldest ones first: up to `limit` of each kind, so that no kind delays another. */
  listDue(now: number, limit: number): Promise<Deletion[]>;
  /** Removes the consents to a deleted app, its authorizations and its notification templates. */
  removeLeftoversOfApp(appId: string): Promise<void>;
  /**
   * Records that a round is done, and notifies the services that hold data in the namespaces of a workspace. Nothing happens if the
   * round was recorded before.
   * @param nextAt when the next round is due; undefined when this was the last
   */
  completeRound(deletion: Deletion, nextAt: number | undefined): Promise<void>;
}
