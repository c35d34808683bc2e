import { taskHandler } from '@dtplatform/queue';
import type { JobHandler, TaskPayload, Tasks } from '@dtplatform/queue';
import { jobsOf, resource } from '@dtplatform/runtime';
import { removalQueue } from '../events/domain-events.store.js';
import type { TreeRemoval } from '../trees/tree-removal.store.js';
import type { Trees } from '../trees/trees.js';
import type { RemovalInput } from '../trees/trees.store.js';
import { asyncTaskRoutes } from './asynctasks.routes.js';

interface Worker {
  tasks: Tasks;
  treeRemoval: TreeRemoval;
}

/** Removes files and folders step by step. Resumes where an earlier run ended. */
const removeFiles = ({ tasks, treeRemoval }: Worker): JobHandler<TaskPayload> =>
  taskHandler<RemovalInput>(tasks, async ({ _input: { ids }, _batchCompleted }, { signal, progress }) => {
    let removed = _batchCompleted;
    for (const id of ids) {
      for (let step = await treeRemoval.step(id); step !== undefined; step = await treeRemoval.step(id)) {
        signal.throwIfAborted();
        removed += step;
        await progress(removed);
      }
    }
    return { status: 204, statusMsg: 'No Content', body: null, batchCompleted: removed };
  });

export const asyncTasks = resource({
  tags: { fileTasks: 'Deletions that continue after the call returns.' },
  routes: (parts: { trees: Trees }) => [asyncTaskRoutes(parts)],
  jobs: (parts: Worker) => [jobsOf(removalQueue, { 'files.remove.v1': removeFiles(parts) })],
});
