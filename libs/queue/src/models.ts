import { outboxModel } from './outbox.js';
import { taskModel } from './tasks.js';
import { totalModel } from './totals.js';

/** For the schema of each service that uses this library. */
export const queueModels = [outboxModel, totalModel, taskModel];
