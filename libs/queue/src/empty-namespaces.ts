import type { JobHandler } from './messages.js';
import type { Tasks } from './tasks.js';

/** What a service holds in namespaces. */
export interface NamespaceContents {
  /**
   * Removes a bounded number of resources from these namespaces. One that is in further namespaces stays there. A batch that
   * was cut off is found again.
   * @returns false when there were none
   */
  removeBatch(namespaces: string[]): Promise<boolean>;
}

/**
 * Removes what is in the namespaces of a deleted workspace, batch by batch; a repetition finds what is left.
 * @param tasks accepted work of the service, if it accepts any
 */
export const emptyNamespaces =
  (contents: NamespaceContents, tasks?: Pick<Tasks, 'leaveNamespaces'>): JobHandler<{ _namespaces: string[] }> =>
  async ({ _namespaces }, { signal }) => {
    while (await contents.removeBatch(_namespaces)) signal.throwIfAborted();
    while (await tasks?.leaveNamespaces(_namespaces)) signal.throwIfAborted();
  };
