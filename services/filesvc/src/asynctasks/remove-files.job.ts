import { taskHandler } from '@dtplatform/queue';
import type { JobHandler, TaskPayload, Tasks } from '@dtplatform/queue';
import type { TreeRemoval } from '../trees/tree-removal.store.js';
import type { RemovalInput } from '../trees/trees.store.js';

/** Removes files and folders that are too many for a request, step by step. Goes on where an earlier run ended. */
export const removeFiles = (tasks: Tasks, removal: TreeRemoval): JobHandler<TaskPayload> =>
  taskHandler<RemovalInput>(tasks, async ({ _input: { ids }, _batchCompleted }, { signal, progress }) => {
    let removed = _batchCompleted;
    for (const id of ids) {
      for (let step = await removal.step(id); step !== undefined; step = await removal.step(id)) {
        signal.throwIfAborted();
        removed += step;
        await progress(removed);
      }
    }
    return { status: 204, statusMsg: 'No Content', body: null, batchCompleted: removed };
  });
