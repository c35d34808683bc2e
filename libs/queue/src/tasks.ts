import { newId } from '@dtplatform/mongo';
import type { ClientSession, Db, Document } from 'mongodb';
import { createOutbox, currentTrace } from './outbox.js';
import { responseOf } from './task-document.js';
import type { NewTask, Task, TaskResult, TaskStatus } from './task-document.js';

export const TASKS = 'async_tasks';
/** A task that shows no sign of life for this long is put into the queue again. */
const LOST_AFTER_MS = 60_000;

export type Tasks = ReturnType<typeof createTasks>;

/** Accepted long work: the truth behind every 202. The queue only carries a task's id, and may lose it. */
export function createTasks(db: Db) {
  const collection = db.collection<Task>(TASKS);
  const outbox = createOutbox(db);

  const end = async (id: string, status: TaskStatus, result: TaskResult, session?: ClientSession): Promise<boolean> => {
    const { matchedCount } = await collection.updateOne(unended(id), ending(status, result), { session });
    return matchedCount === 1;
  };

  return {
    /** Accepts work: writes the task and its message, both in the caller's transaction. Gives the task's id. */
    async create<Input>(session: ClientSession, task: NewTask<Input>): Promise<string> {
      const document = newTask(task);
      await collection.insertOne(document, { session, ignoreUndefined: true });
      await outbox.put(session, task.message, { taskId: document._id }, { id: document._id, forget: true });
      return document._id;
    },

    async get<Input = unknown>(id: string): Promise<Task<Input> | undefined> {
      return ((await collection.findOne({ _id: id })) as Task<Input> | null) ?? undefined;
    },

    /** Several tasks, in the order of their ids. */
    async getMany<Input = unknown>(ids: readonly string[]): Promise<(Task<Input> | undefined)[]> {
      const found = (await collection.find({ _id: { $in: [...ids] } }).toArray()) as Task<Input>[];
      const byId = new Map(found.map((task) => [task._id, task]));
      return ids.map((id) => byId.get(id));
    },

    /** Marks a task as running and gives it, or undefined when it has ended already: then there is nothing to do. */
    async begin<Input = unknown>(id: string): Promise<Task<Input> | undefined> {
      const update = { $set: { _status: 'RUNNING' as const, ...signOfLife() }, $inc: { _runs: 1 } };
      const task = await collection.findOneAndUpdate(unended(id), update, { returnDocument: 'after' });
      return (task as Task<Input> | null) ?? undefined;
    },

    /** Sign of life of a running task; with `batchCompleted` also how much of it is done. At least once in 60 seconds. */
    async heartbeat(id: string, { batchCompleted }: { batchCompleted?: number } = {}): Promise<void> {
      const progress = batchCompleted === undefined ? {} : { _batchCompleted: batchCompleted };
      await collection.updateOne(unended(id), { $set: { ...signOfLife(), ...progress } });
    },

    /** Ends a task as COMPLETED, in the caller's transaction if one is given. False when it had ended already: roll back then. */
    complete: (id: string, result: TaskResult, session?: ClientSession) => end(id, 'COMPLETED', result, session),

    /** Ends several tasks as COMPLETED; those that have ended already stay as they are. */
    async completeMany(ended: readonly { id: string; result: TaskResult }[]): Promise<void> {
      const updates = ended.map(({ id, result }) => ({
        updateOne: { filter: unended(id), update: ending('COMPLETED', result) },
      }));
      if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
    },

    /** Ends a task as ERROR. False when it had ended already. */
    fail: (id: string, result: TaskResult, session?: ClientSession) => end(id, 'ERROR', result, session),

    /**
     * Puts the messages of tasks that show no sign of life into the outbox again, under the same ids: where the queue still has the
     * job nothing happens, where it lost it the task runs (again). Gives how many were put. `now` is in epoch milliseconds.
     */
    async resubmitLost({ now = Date.now(), limit = 1000 }: { now?: number; limit?: number } = {}): Promise<number> {
      const options = { sort: { _checkAt: 1 as const }, limit, projection: { _message: 1 } };
      const lost = await collection.find({ _checkAt: { $lte: now } }, options).toArray();
      await outbox.putTasks(lost.map(({ _id, _message }) => ({ _id, ..._message })));
      const ids = lost.map(({ _id }) => _id);
      await collection.updateMany(
        { _id: { $in: ids }, _checkAt: { $lte: now } },
        { $set: { _checkAt: now + LOST_AFTER_MS } },
      );
      return ids.length;
    },
  };
}

const unended = (id: string) => ({ _id: id, _status: { $in: ['QUEUED', 'RUNNING'] as TaskStatus[] } });

const signOfLife = () => ({ _checkAt: Date.now() + LOST_AFTER_MS, '_metadata._updatedAt': Date.now() });

function ending(status: TaskStatus, result: TaskResult): Document[] {
  const now = Date.now();
  const set = {
    _status: status,
    _response: { $literal: responseOf(result) },
    _batchCompleted: result.batchCompleted ?? '$_batchCompleted',
    _timeTakenInSecs: { $divide: [{ $subtract: [now, '$_metadata._createdAt'] }, 1000] },
    '_metadata._updatedAt': now,
  };
  return [{ $set: set }, { $unset: '_checkAt' }];
}

function newTask<Input>(task: NewTask<Input>): Task<Input> {
  const { queue, name, attempts, backoffMs } = task.message;
  const now = Date.now();
  return {
    _id: task.id ?? newId(),
    _reqBodySize: task.reqBodySize,
    _batchCompleted: 0,
    _status: 'QUEUED',
    _timeTakenInSecs: 0,
    _namespaces: task.namespaces,
    _kind: name,
    _input: task.input,
    _createdById: task.createdById,
    _metadata: { _createdAt: now, _updatedAt: now },
    _message: { queue, name, attempts, backoffMs, trace: currentTrace() },
    _runs: 0,
    _checkAt: now + LOST_AFTER_MS,
  };
}
