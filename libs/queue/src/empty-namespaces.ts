import type { JobHandler } from './messages.js';

/** What a service holds in namespaces. */
export interface NamespaceContents {
  /**
   * Removes a bounded number of resources from these namespaces. One that is in further namespaces stays there. A batch that
   * was cut off is found again.
   * @returns false when there were none
   */
  removeBatch(namespaces: string[]): Promise<boolean>;
}

/** Removes what is in the namespaces of a deleted workspace, batch by batch; a repetition finds what is left. */
export const emptyNamespaces =
  (contents: NamespaceContents): JobHandler<{ _namespaces: string[] }> =>
  async ({ _namespaces }, { signal }) => {
    while (await contents.removeBatch(_namespaces)) signal.throwIfAborted();
  };
