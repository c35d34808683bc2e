import { z } from 'zod';
import type { LeaseState } from '@dtplatform/lease';
import type { MessageType } from './messages.js';

/** Payload of every task's message: the rest is in the task. */
export const taskPayload = z.object({ taskId: z.string() });
export type TaskPayload = z.infer<typeof taskPayload>;

export type TaskStatus = 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'ERROR';

/** The response that the call would have had synchronously. */
export interface TaskResponse {
  /** Whether `_body` is a URL of the body. */
  externalStorage: boolean;
  /** JSON text, or the URL. */
  _body: string;
  _statusMsg: string;
  _status: number;
  _headers: Record<string, string>;
}

/**
 * Accepted work (docs/contract.md, "Async task") and its processor's data. Fields after `_namespaces` are hidden from
 * callers.
 */
export interface Task<Input = unknown> {
  _id: string;
  _reqBodySize: number;
  _batchCompleted: number;
  /** The final value of `_batchCompleted`, if known in advance. */
  _total?: number;
  _status: TaskStatus;
  /** From its acceptance to its end. */
  _timeTakenInSecs: number;
  /** Once it has ended. */
  _response?: TaskResponse;
  _namespaces: string[];
  _kind: string;
  _input: Input;
  _createdById: string;
  _metadata: { _createdAt: number; _updatedAt: number };
  /**
   * Held by the message until a run has started, then by that run. The fence counts the runs, except very short ones.
   */
  _lease: LeaseState;
}

export interface NewTask<Input = unknown> {
  /** Default: a new one. */
  id?: string;
  /** The message whose payload is `taskPayload`. */
  message: MessageType<TaskPayload>;
  namespaces: string[];
  /** The processor's input. Keep it small: large input belongs in the object store. */
  input: Input;
  createdById: string;
  /** Size of the request's body in bytes. */
  reqBodySize: number;
  /** Number of entries to process; callers see the progress as a percentage of it. */
  total?: number;
}

export interface TaskResult {
  /** HTTP status. */
  status: number;
  /** Default: `OK`, or `ERROR` from 400 on. */
  statusMsg?: string;
  /** Stored as JSON text. */
  body: unknown;
  headers?: Record<string, string>;
  batchCompleted?: number;
}

export const responseOf = ({ status, statusMsg, body, headers }: TaskResult): TaskResponse => ({
  externalStorage: false,
  _body: JSON.stringify(body ?? null),
  _statusMsg: statusMsg ?? (status < 400 ? 'OK' : 'ERROR'),
  _status: status,
  _headers: headers ?? { 'Content-Type': 'application/json' },
});

/** A task as callers see it (`AsyncTask` of libs/contracts). */
export const shownTask = (task: Task) => ({
  _id: task._id,
  _reqBodySize: task._reqBodySize,
  _batchCompleted: task._batchCompleted,
  ...progressOf(task),
  _status: task._status,
  _timeTakenInSecs: task._timeTakenInSecs,
  ...(task._response && { _response: task._response }),
  _namespaces: task._namespaces,
});

/** As a percentage, and as text if the number of entries is known. */
function progressOf({ _status, _batchCompleted, _total }: Task): { _progress: number; _statusmsg?: string } {
  if (_status === 'COMPLETED') return { _progress: 100 };
  if (!_total) return { _progress: 0 };
  const _progress = Math.floor((100 * Math.min(_batchCompleted, _total)) / _total);
  return { _progress, _statusmsg: `${_batchCompleted} of ${_total} done` };
}
