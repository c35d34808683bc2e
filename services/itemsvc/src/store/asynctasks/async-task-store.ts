import { shownTask } from '@dtplatform/queue';
import type { Tasks } from '@dtplatform/queue';
import type { AsyncTaskStore } from '../../domain/asynctasks/async-tasks.js';

export const createAsyncTaskStore = (tasks: Tasks): AsyncTaskStore => ({
  async find(id) {
    const task = await tasks.get(id);
    return task && { task: shownTask(task), createdById: task._createdById };
  },
});
