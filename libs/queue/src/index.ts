export { defineCatalogue, defineMessage } from './messages.js';
export type {
  Catalogue,
  HandlersOf,
  JobContext,
  JobHandler,
  MessageOptions,
  MessageType,
  PayloadOf,
} from './messages.js';
export { createOutbox } from './outbox.js';
export type { Delta, Outbox, OutboxEntry, PutOptions } from './outbox.js';
export { createTotals } from './totals.js';
export type { Totals } from './totals.js';
export { startRelay } from './relay.js';
export type { Relay, RelayOptions } from './relay.js';
export { startWorker } from './worker.js';
export type { WorkerHandle, WorkerOptions } from './worker.js';
export { createTasks } from './tasks.js';
export type { Tasks } from './tasks.js';
export { taskPayload } from './task-document.js';
export type { NewTask, Task, TaskPayload, TaskResponse, TaskResult, TaskStatus } from './task-document.js';
export { taskHandler } from './task-handler.js';
export type { TaskContext, TaskOutcome } from './task-handler.js';
export { startTaskSweep } from './task-sweep.js';
export { queueIndexes } from './indexes.js';
export { PermanentError } from './permanent-error.js';
