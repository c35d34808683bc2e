import { defineModel, id, json, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { CallOrigin } from '@dtplatform/telemetry';

/** What a write adds to (or takes from) a total. */
export interface Delta {
  /** What is counted, such as `nameduseritem`. */
  key: string;
  namespace: string;
  amount: number;
}

/** The latest time that the job of a message used up its attempts. */
export interface Failure {
  /** How often that has happened. */
  times: number;
  at: number;
  message: string;
}

/** A message that its consumer has not processed yet. Its id becomes the job's. */
export interface OutboxEntry {
  _id: string;
  queue: string;
  name: string;
  payload: unknown;
  attempts: number;
  backoffMs: number;
  /** Not yet part of the `totals` collection. */
  deltas?: Delta[];
  /**
   * Whether another document is the truth about the work (a task, a run, a load), with a sweep of its own. The entry is then
   * removed as soon as the queue has the message, and the queue forgets the job when it ends, so that the same id can
   * be put again.
   */
  forget?: boolean;
  /** The call that put it. */
  trace?: CallOrigin;
  createdAt: number;
  /** Set once the queue has the message: when to look whether it still does. */
  checkAt?: number;
  failure?: Failure;
}

export const trace = part<CallOrigin>({ requestId: String, traceparent: String });

export const outboxModel = defineModel<OutboxEntry>('outbox', {
  _id: id,
  queue: text,
  name: text,
  payload: json,
  attempts: number,
  backoffMs: number,
  deltas: optionalArray(part<Delta>({ key: text, namespace: text, amount: number })),
  forget: Boolean,
  trace,
  createdAt: number,
  checkAt: Number,
  failure: part<Failure>({ times: number, at: number, message: text }),
});
outboxModel.schema.index({ createdAt: 1 }, { name: 'createdAt' });
outboxModel.schema.index({ checkAt: 1, createdAt: 1 }, { name: 'hand_over' });
outboxModel.schema.index({ 'failure.at': 1 }, { name: 'failed', sparse: true });
outboxModel.schema.index({ 'deltas.namespace': 1, 'deltas.key': 1 }, { name: 'waiting_deltas', sparse: true });
