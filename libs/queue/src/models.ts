import { outboxModel } from './outbox.model.js';
import { taskModel } from './task.model.js';
import { totalModel } from './total.model.js';

/** For the schema of each service that uses this library. */
export const queueModels = [outboxModel, totalModel, taskModel];
