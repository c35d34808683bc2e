import { shownTask } from '@dtplatform/queue';
import type { Tasks } from '@dtplatform/queue';
import type { OwnTasks } from '../../domain/asynctasks/ports.js';

export const createOwnTasks = (tasks: Tasks): OwnTasks => ({
  async find(id) {
    const task = await tasks.get(id);
    return task && { task: shownTask(task), createdById: task._createdById };
  },
});
