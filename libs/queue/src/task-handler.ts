import { AppError, commonErrors, defineErrors } from '@dtplatform/errors';
import { keepLease, LeaseLost } from '@dtplatform/lease';
import { coalesce } from '@dtplatform/mongo';
import { PermanentError, Postponed } from './messages.js';
import type { JobContext, JobHandler } from './messages.js';
import type { Task, TaskPayload, TaskResult } from './task-document.js';
import type { Tasks } from './tasks.js';

const HEARTBEAT_MS = 15_000;
/** A shorter first run goes from QUEUED straight to its end, which saves a write. */
const SHOWN_AS_RUNNING_AFTER_MS = 200;
/** A task that was started this often crashes its process each time. */
const MAX_RUNS = 20;

const errors = defineErrors({
  discarded: {
    status: 409,
    message: 'An administrator discarded the task.',
    remedy: 'Ask an administrator why, then send the request again.',
  },
});

export interface TaskContext extends JobContext {
  /** Reports how much is done, for `_batchCompleted`. */
  progress: (batchCompleted: number) => Promise<void>;
}

/** The result of a task's processor; nothing if it has ended the task itself, in the transaction of its last write. */
export type TaskOutcome = TaskResult | undefined | void;

/**
 * The handler of a task's message: starts the task, holds its lease while `run` works, and ends it with the result.
 * Errors are retried. At the last attempt, and immediately for an AppError below 500 or a PermanentError, the task ends
 * as ERROR. `run` may be called again after a crash and must be idempotent.
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
  /** A first run claims its task later, if it takes that long. */
  async function take(id: string, isFirstStart: boolean): Promise<Task<Input> | undefined> {
    const found = isFirstStart ? await find(id) : undefined;
    return found?._status === 'QUEUED' ? found : tasks.begin<Input>(id);
  }

  return async ({ taskId: id }, job) => {
    const task = await take(id, job.isFirstStart);
    if (!task) return undefined;
    const held = keepTask(tasks, task, job.signal);
    try {
      if (job.isDiscarded) throw errors.discarded();
      const { fence } = task._lease;
      if (fence > MAX_RUNS) throw new PermanentError(`The task was started ${fence} times without finishing.`);
      const result = await run(task, { ...job, signal: held.signal, progress: held.progress });
      if (result) await complete({ id, result });
      return undefined;
    } catch (error) {
      if (held.signal.reason instanceof LeaseLost) {
        job.log.warn({ err: error, taskId: id }, 'task abandoned: another run holds the lease, or the task has ended');
        // The other run may belong to a frozen process without a job, whose end nobody would notice.
        if (isUnended(await tasks.get(id))) throw new Postponed(tasks.leases.ttlMs);
        return undefined;
      }
      if (error instanceof Postponed || (!job.lastAttempt && !isPermanent(error))) throw error;
      job.log.error({ err: error, taskId: id }, 'task failed');
      const result = failureOf(error);
      await tasks.fail(id, result);
      return result.status < 500 ? 'rejected' : 'failed';
    } finally {
      held.stop();
    }
  };
}

/** Holds the lease of a task while it runs, and shows it as RUNNING once that takes longer than a moment. */
function keepTask(tasks: Tasks, task: Task, signal: AbortSignal) {
  const lease = keepLease(tasks.leases, task, { signal, heartbeatMs: HEARTBEAT_MS });
  let beginning: Promise<void> | undefined;
  const begin = () => (beginning ??= claim());
  const claim = async () => {
    if (task._status === 'RUNNING') return;
    const begun = await tasks.begin(task._id, task).catch((error: unknown) => {
      beginning = undefined;
      throw error;
    });
    // Otherwise another run has claimed it, and the next heartbeat finds the lease lost.
    if (begun) Object.assign(task, { _status: begun._status, _lease: begun._lease });
  };
  const timer = setTimeout(() => void begin().catch(() => undefined), SHOWN_AS_RUNNING_AFTER_MS);

  return {
    signal: lease.signal,
    progress: async (batchCompleted: number): Promise<void> => {
      await begin();
      await tasks.progress(task, batchCompleted);
    },
    stop() {
      clearTimeout(timer);
      lease.stop();
    },
  };
}

const isUnended = (task: Task | undefined) => task?._status === 'QUEUED' || task?._status === 'RUNNING';

const isPermanent = (error: unknown) =>
  error instanceof PermanentError || (error instanceof AppError && error.status < 500);

/**
 * The response that the call would have had: an AppError unchanged, any other error as a 500 that does not disclose its
 * cause.
 */
export function failureOf(error: unknown): TaskResult {
  const shown = error instanceof AppError ? error : commonErrors.internal({ cause: error });
  const { status, code, message, details } = shown;
  return { status, statusMsg: message, body: { status, code, message, errors: details } };
}
