import type { WorkspaceDeleted } from '@dtplatform/contracts';
import type { JobHandler } from '@dtplatform/queue';
import type { NamespaceContents } from '../store/namespaces/namespace-contents.js';

/** Removes what is in the namespaces of a deleted workspace, batch by batch; a repetition finds what is left. */
export const emptyNamespaces =
  (contents: NamespaceContents): JobHandler<WorkspaceDeleted> =>
  async ({ _namespaces }, { signal }) => {
    for (const namespace of _namespaces) {
      while (await contents.removeBatch(namespace)) signal.throwIfAborted();
    }
  };
