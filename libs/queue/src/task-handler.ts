import { AppError, commonErrors } from '@dtplatform/errors';
import type { JobContext, JobHandler } from './messages.js';
import { PermanentError } from './permanent-error.js';
import type { Task, TaskPayload, TaskResult, Tasks } from './tasks.js';

const HEARTBEAT_MS = 15_000;
/** A task that was begun this often takes its process down each time. */
const MAX_RUNS = 20;

export interface TaskContext extends JobContext {
  /** Says how much is done; shown as `_batchCompleted`. */
  progress(batchCompleted: number): Promise<void>;
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
  return async ({ taskId }, job) => {
    const task = await tasks.begin<Input>(taskId);
    if (!task) return;
    if (task._runs > MAX_RUNS) {
      await tasks.fail(taskId, failureOf(new Error('begun too often')));
      return;
    }
    const heartbeat = setInterval(() => void tasks.heartbeat(taskId).catch(() => undefined), HEARTBEAT_MS);
    try {
      const progress = (batchCompleted: number) => tasks.heartbeat(taskId, { batchCompleted });
      const result = await run(task, { ...job, progress });
      if (result) await tasks.complete(taskId, result);
    } catch (error) {
      if (!job.lastAttempt && !isPermanent(error)) throw error;
      job.log.error({ err: error, taskId }, 'task failed');
      await tasks.fail(taskId, failureOf(error));
    } finally {
      clearInterval(heartbeat);
    }
  };
}

const isPermanent = (error: unknown) =>
  error instanceof PermanentError || (error instanceof AppError && error.status < 500);

/** The reply that the call would have had: an AppError as it is, everything else a 500 without a word about its cause. */
function failureOf(error: unknown): TaskResult {
  const { status, code, message, details } =
    error instanceof AppError ? error : commonErrors.internal({ cause: error });
  return { status, statusMsg: message, body: { status, code, message, errors: details } };
}
