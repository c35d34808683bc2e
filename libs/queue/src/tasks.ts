import { newId } from '@dtplatform/mongo';
import type { ClientSession, Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { MessageType } from './messages.js';
import { createOutbox } from './outbox.js';

export const TASKS = 'async_tasks';
/** A task that shows no sign of life for this long is put into the queue again. */
const LOST_AFTER_MS = 60_000;

/** Payload of the message of every task: the rest is in the task. */
export const taskPayload = z.object({ taskId: z.string() });
export type TaskPayload = z.infer<typeof taskPayload>;

export type TaskStatus = 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'ERROR';

/** The reply that the call would have had if it had not been accepted as a task. */
export interface TaskResponse {
  /** Whether `_body` is a URL where the body can be fetched. */
  externalStorage: boolean;
  /** JSON text, or the URL. */
  _body: string;
  _statusMsg: string;
  /** HTTP status. */
  _status: number;
  _headers: Record<string, string>;
}

/** Accepted work (contract: Async task), with what its processor needs. Fields after `_namespaces` are not for callers. */
export interface Task<Input = unknown> {
  _id: string;
  _reqBodySize: number;
  _batchCompleted: number;
  _status: TaskStatus;
  _timeTakenInSecs: number;
  _response?: TaskResponse;
  _namespaces: string[];
  _kind: string;
  _input: Input;
  _createdById: string;
  _metadata: { _createdAt: number; _updatedAt: number };
  _message: Pick<MessageType, 'queue' | 'name' | 'attempts' | 'backoffMs'>;
  /** How often it was begun. */
  _runs: number;
  _startedAt?: number;
  /** When to look whether it got lost. Absent once it has ended. */
  _checkAt?: number;
}

export interface NewTask<Input = unknown> {
  /** Default: a new one. */
  id?: string;
  /** What carries it: a message whose payload is `taskPayload`. */
  message: MessageType<TaskPayload>;
  namespaces: string[];
  /** What the processor works on. Must survive JSON; keep it small: large input belongs in the object store. */
  input: Input;
  createdById: string;
  /** Bytes of the request's body. */
  reqBodySize: number;
}

export interface TaskResult {
  status: number;
  statusMsg?: string;
  /** Becomes JSON text; with `externalStorage` it is the URL itself. */
  body: unknown;
  headers?: Record<string, string>;
  externalStorage?: boolean;
  batchCompleted?: number;
}

export type Tasks = ReturnType<typeof createTasks>;

/** Accepted long work: the truth behind every 202. The queue only carries a task's id, and may lose it. */
export function createTasks(db: Db) {
  const collection = db.collection<Task>(TASKS);
  const outbox = createOutbox(db);
  const ofUnended = (id: string): Filter<Task> => ({ _id: id, _status: { $in: ['QUEUED', 'RUNNING'] } });

  const end = async (id: string, status: TaskStatus, result: TaskResult, session?: ClientSession): Promise<boolean> => {
    const now = Date.now();
    const update = {
      _status: status,
      _response: { $literal: responseOf(result) },
      _batchCompleted: result.batchCompleted ?? '$_batchCompleted',
      _timeTakenInSecs: { $divide: [{ $subtract: [now, { $ifNull: ['$_startedAt', now] }] }, 1000] },
      '_metadata._updatedAt': now,
    };
    const { matchedCount } = await collection.updateOne(ofUnended(id), [{ $set: update }, { $unset: '_checkAt' }], {
      session,
    });
    return matchedCount === 1;
  };

  return {
    /** Accepts work: writes the task and its message, both in the caller's transaction. Gives the task's id. */
    async create<Input>(session: ClientSession, task: NewTask<Input>): Promise<string> {
      const { message } = task;
      const now = Date.now();
      const _id = task.id ?? newId();
      await collection.insertOne(
        {
          _id,
          _reqBodySize: task.reqBodySize,
          _batchCompleted: 0,
          _status: 'QUEUED',
          _timeTakenInSecs: 0,
          _namespaces: task.namespaces,
          _kind: message.name,
          _input: task.input,
          _createdById: task.createdById,
          _metadata: { _createdAt: now, _updatedAt: now },
          _message: {
            queue: message.queue,
            name: message.name,
            attempts: message.attempts,
            backoffMs: message.backoffMs,
          },
          _runs: 0,
          _checkAt: now + LOST_AFTER_MS,
        },
        { session, ignoreUndefined: true },
      );
      await outbox.put(session, message, { taskId: _id }, { id: _id, forget: true });
      return _id;
    },

    async get<Input = unknown>(id: string): Promise<Task<Input> | undefined> {
      return ((await collection.findOne({ _id: id })) as Task<Input> | null) ?? undefined;
    },

    /** Marks a task as running and gives it, or undefined when it has ended already: then there is nothing to do. */
    async begin<Input = unknown>(id: string): Promise<Task<Input> | undefined> {
      const now = Date.now();
      const set = {
        _status: 'RUNNING',
        _startedAt: { $ifNull: ['$_startedAt', now] },
        _runs: { $add: ['$_runs', 1] },
        _checkAt: now + LOST_AFTER_MS,
        '_metadata._updatedAt': now,
      };
      const task = await collection.findOneAndUpdate(ofUnended(id), [{ $set: set }], { returnDocument: 'after' });
      return (task as Task<Input> | null) ?? undefined;
    },

    /** Sign of life of a running task; with `batchCompleted` also how much of it is done. */
    async heartbeat(id: string, progress: { batchCompleted?: number } = {}): Promise<void> {
      const { batchCompleted } = progress;
      const now = Date.now();
      await collection.updateOne(ofUnended(id), {
        $set: {
          _checkAt: now + LOST_AFTER_MS,
          '_metadata._updatedAt': now,
          ...(batchCompleted !== undefined && { _batchCompleted: batchCompleted }),
        },
      });
    },

    /** Ends a task as COMPLETED, in the caller's transaction if one is given. False when it had ended already: roll back then. */
    complete: (id: string, result: TaskResult, session?: ClientSession) => end(id, 'COMPLETED', result, session),

    /** Ends a task as ERROR. False when it had ended already. */
    fail: (id: string, result: TaskResult, session?: ClientSession) => end(id, 'ERROR', result, session),

    /**
     * Puts the messages of tasks that show no sign of life into the outbox again, under the same ids: where the queue still has the
     * job nothing happens, where it lost it the task runs (again). Gives how many were put.
     */
    async resubmitLost(options: { now?: number; limit?: number } = {}): Promise<number> {
      const now = options.now ?? Date.now();
      const lost = await collection
        .find({ _checkAt: { $lte: now } }, { projection: { _message: 1 } })
        .sort({ _checkAt: 1 })
        .limit(options.limit ?? 1000)
        .toArray();
      for (const { _id, _message } of lost) await outbox.putTask({ _id, ..._message });
      const ids = lost.map(({ _id }) => _id);
      await collection.updateMany(
        { _id: { $in: ids }, _checkAt: { $lte: now } },
        { $set: { _checkAt: now + LOST_AFTER_MS } },
      );
      return ids.length;
    },
  };
}

const responseOf = ({ status, statusMsg, body, headers, externalStorage = false }: TaskResult): TaskResponse => ({
  externalStorage,
  _body: externalStorage ? String(body) : JSON.stringify(body ?? null),
  _statusMsg: statusMsg ?? (status < 400 ? 'OK' : 'ERROR'),
  _status: status,
  _headers: headers ?? { 'Content-Type': 'application/json' },
});
