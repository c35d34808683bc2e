import { AppError, commonErrors } from '@dtplatform/errors';
import { coalesce } from './coalesce.js';
import type { JobContext, JobHandler } from './messages.js';
import { PermanentError } from './permanent-error.js';
import type { Task, TaskPayload, TaskResult } from './task-document.js';
import type { Tasks } from './tasks.js';

const HEARTBEAT_MS = 15_000;
/** A first run that is shorter goes from QUEUED straight to its end, which saves a write. */
const SHOWN_AS_RUNNING_AFTER_MS = 200;
/** A task that was begun this often takes its process down each time. */
const MAX_RUNS = 20;

export interface TaskContext extends JobContext {
  /** Says how much is done; shown as `_batchCompleted`. */
  progress: (batchCompleted: number) => Promise<void>;
}

/** What a task's processor gives back; nothing when it has ended the task itself, in a transaction with its last write. */
export type TaskOutcome = TaskResult | undefined | void;

/**
 * The handler of a task's message: begins the task, shows signs of life while `run` works, and ends it with what `run` gives.
 * A throw is tried again; at the last attempt, and at once for an AppError below 500 or a PermanentError, the task ends as ERROR.
 * `run` may be called again after a crash, so it must be idempotent.
 */
export function taskHandler<Input>(
  tasks: Tasks,
  run: (task: Task<Input>, context: TaskContext) => Promise<TaskOutcome>,
): JobHandler<TaskPayload> {
  const find = coalesce((ids: string[]) => tasks.getMany<Input>(ids));
  const complete = coalesce(async (ended: { id: string; result: TaskResult }[]) => {
    await tasks.completeMany(ended);
    return ended;
  });

  return async ({ taskId: id }, job) => {
    const task = job.isFirstStart ? await find(id) : await tasks.begin<Input>(id);
    if (!task || task._status === 'COMPLETED' || task._status === 'ERROR') return;
    const stopShowing = showSignsOfLife(tasks, task);
    try {
      if (task._runs > MAX_RUNS) throw new PermanentError(`The task was begun ${task._runs} times and never ended.`);
      const progress = (batchCompleted: number) => tasks.heartbeat(id, { batchCompleted });
      const result = await run(task, { ...job, progress });
      if (result) await complete({ id, result });
    } catch (error) {
      if (!job.lastAttempt && !isPermanent(error)) throw error;
      job.log.error({ err: error, taskId: id }, 'task failed');
      await tasks.fail(id, failureOf(error));
    } finally {
      stopShowing();
    }
  };
}

function showSignsOfLife(tasks: Tasks, task: Task): () => void {
  const ignore = () => undefined;
  const begin = () => void tasks.begin(task._id).catch(ignore);
  const isShown = task._status === 'RUNNING';
  const beginning = isShown ? undefined : setTimeout(begin, SHOWN_AS_RUNNING_AFTER_MS);
  const heartbeat = setInterval(() => void tasks.heartbeat(task._id).catch(ignore), HEARTBEAT_MS);
  return () => {
    clearTimeout(beginning);
    clearInterval(heartbeat);
  };
}

const isPermanent = (error: unknown) =>
  error instanceof PermanentError || (error instanceof AppError && error.status < 500);

/** The reply that the call would have had: an AppError as it is, everything else a 500 without a word about its cause. */
function failureOf(error: unknown): TaskResult {
  const shown = error instanceof AppError ? error : commonErrors.internal({ cause: error });
  const { status, code, message, details } = shown;
  return { status, statusMsg: message, body: { status, code, message, errors: details } };
}
