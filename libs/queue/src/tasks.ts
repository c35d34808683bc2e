import { createLeases } from '@dtplatform/lease';
import type { LeaseState } from '@dtplatform/lease';
import {
  defineModel,
  flag,
  id,
  ifPresent,
  json,
  newId,
  number,
  oneOf,
  optionalArray,
  part,
  text,
} from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { asJson, createOutbox } from './outbox.js';
import { responseOf } from './task-document.js';
import type { NewTask, Task, TaskResponse, TaskResult, TaskStatus } from './task-document.js';

const LEASE_MS = 60_000;
const BATCH = 1000;
const UNENDED = { _status: { $in: ['QUEUED', 'RUNNING'] as TaskStatus[] } };

export type Tasks = ReturnType<typeof createTasks>;

/** Async tasks, the source of truth behind every 202. The queue only carries task ids and may lose them. */
export function createTasks(mongo: Mongo) {
  const model = mongo.model(taskModel);
  // Filters and pipelines that Mongoose would neither cast nor check.
  const collection = mongo.collection(taskModel);
  const outbox = createOutbox(mongo);
  const leases = createLeases(model, { path: '_lease', ttlMs: LEASE_MS });

  const end = async (id: string, status: TaskStatus, result: TaskResult, session?: ClientSession): Promise<boolean> => {
    const { matchedCount } = await collection.updateOne(unended(id), ending(status, result), { session });
    return matchedCount === 1;
  };

  return {
    leases,

    /** Writes the task and its message in the caller's transaction. @returns the task's id */
    async create<Input>(session: ClientSession, task: NewTask<Input>): Promise<string> {
      const document = newTask(task);
      await model.insertMany([document], { session });
      await outbox.put(session, task.message, { taskId: document._id }, { id: document._id });
      return document._id;
    },

    async get<Input = unknown>(id: string): Promise<Task<Input> | undefined> {
      return ((await model.findById(id).lean()) as Task<Input> | null) ?? undefined;
    },

    /** In the order of the ids. */
    async getMany<Input = unknown>(ids: readonly string[]): Promise<(Task<Input> | undefined)[]> {
      const found = (await model.find({ _id: oneOf(ids) }).lean()) as Task<Input>[];
      const byId = new Map(found.map((task) => [task._id, task]));
      return ids.map((id) => byId.get(id));
    },

    /**
     * Claims a task for a new run and shows it as RUNNING. Undefined if it has ended, or, given a task as found, if
     * another run has claimed it since.
     */
    async begin<Input = unknown>(id: string, found?: Task): Promise<Task<Input> | undefined> {
      const filter = { ...unended(id), ...(found && leases.heldBy(found)) };
      const set = { _status: 'RUNNING', '_metadata._updatedAt': Date.now() };
      return (await leases.claim(filter, { set, takeOver: true })) as Task<Input> | undefined;
    },

    /** Heartbeat with the progress of a task. False if another run holds it or it has ended. */
    progress: (task: Task, batchCompleted: number): Promise<boolean> =>
      leases.extend(task, { _batchCompleted: batchCompleted, '_metadata._updatedAt': Date.now() }),

    /**
     * Ends a task as COMPLETED, in the caller's transaction if there is one. False if it had ended before: roll back
     * then.
     */
    complete: (id: string, result: TaskResult, session?: ClientSession) => end(id, 'COMPLETED', result, session),

    /** Ends several tasks as COMPLETED; those that ended before stay unchanged. */
    async completeMany(ended: readonly { id: string; result: TaskResult }[]): Promise<void> {
      const updates = ended.map(({ id, result }) => ({
        updateOne: { filter: unended(id), update: ending('COMPLETED', result) },
      }));
      if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
    },

    /** Ends a task as ERROR. False if it had ended before. */
    fail: (id: string, result: TaskResult, session?: ClientSession) => end(id, 'ERROR', result, session),

    /** Removes up to 1000 tasks from namespaces, and deletes those that are in no others. False if there were none. */
    async leaveNamespaces(namespaces: string[]): Promise<boolean> {
      const held = await model
        .find({ _namespaces: oneOf(namespaces) }, { _namespaces: 1 })
        .limit(BATCH)
        .lean();
      const isOver = ({ _namespaces }: Pick<Task, '_namespaces'>) =>
        _namespaces.every((namespace) => namespaces.includes(namespace));
      const idsOf = (tasks: Pick<Task, '_id'>[]) => ({ _id: { $in: tasks.map(({ _id }) => _id) } });
      const staying = held.filter((task) => !isOver(task));
      await collection.deleteMany(idsOf(held.filter(isOver)));
      if (staying.length > 0) await collection.updateMany(idsOf(staying), { $pullAll: { _namespaces: namespaces } });
      return held.length > 0;
    },
  };
}

const unended = (id: string) => ({ _id: id, ...UNENDED });

function ending(status: TaskStatus, result: TaskResult): object[] {
  const now = Date.now();
  const set = {
    _status: status,
    _response: { $literal: responseOf(result) },
    _batchCompleted: result.batchCompleted ?? '$_batchCompleted',
    _timeTakenInSecs: { $divide: [{ $subtract: [now, '$_metadata._createdAt'] }, 1000] },
    '_metadata._updatedAt': now,
  };
  return [{ $set: set }, { $unset: '_lease.until' }];
}

function newTask<Input>(task: NewTask<Input>): Task<Input> {
  const now = Date.now();
  return {
    _id: task.id ?? newId(),
    _reqBodySize: task.reqBodySize,
    _batchCompleted: 0,
    ...(task.total !== undefined && { _total: task.total }),
    _status: 'QUEUED',
    _timeTakenInSecs: 0,
    _namespaces: task.namespaces,
    _kind: task.message.name,
    _input: asJson(task.input),
    _createdById: task.createdById,
    _metadata: { _createdAt: now, _updatedAt: now },
    // By this process's clock.
    _lease: { fence: 0, until: new Date(now + LEASE_MS) },
  };
}

export const taskModel = defineModel<Task>(
  'async_tasks',
  {
    _id: id,
    _reqBodySize: number,
    _batchCompleted: number,
    _total: Number,
    _status: text,
    _timeTakenInSecs: number,
    _response: part<TaskResponse>({
      externalStorage: flag,
      _body: text,
      _statusMsg: text,
      _status: number,
      _headers: json,
    }),
    _namespaces: optionalArray(String),
    _kind: text,
    _input: json,
    _createdById: text,
    _metadata: part<Task['_metadata']>({ _createdAt: number, _updatedAt: number }),
    _lease: part<LeaseState>({ fence: number, until: Date }),
  },
  {
    indexes: [
      { key: { _namespaces: 1 }, name: 'namespaces' },
      { key: { '_lease.until': 1 }, name: 'lease_end', ...ifPresent('_lease.until') },
    ],
  },
);
