import type { JobHandler } from './messages.js';
import type { Tasks } from './tasks.js';

/** A service's data in namespaces. */
export interface NamespaceContents {
  /**
   * Removes a bounded number of resources from these namespaces; a resource that is in others stays there. An
   * interrupted batch is found again.
   * @returns false when there were none
   */
  removeBatch(namespaces: string[]): Promise<boolean>;
}

/**
 * Empties the namespaces of a deleted workspace batch by batch. A repeated run continues with the rest.
 * @param tasks the service's async tasks, if it has any
 */
export const emptyNamespaces =
  (contents: NamespaceContents, tasks?: Pick<Tasks, 'leaveNamespaces'>): JobHandler<{ _namespaces: string[] }> =>
  async ({ _namespaces }, { signal }) => {
    while (await contents.removeBatch(_namespaces)) signal.throwIfAborted();
    while (await tasks?.leaveNamespaces(_namespaces)) signal.throwIfAborted();
  };
