import { defineModel, id, json, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { CallOrigin } from '@dtplatform/telemetry';

/** What a write adds to (or takes from) a total. */
export interface Delta {
  /** What is counted, such as `nameduseritem`. */
  key: string;
  namespace: string;
  amount: number;
}

/** The latest failed attempt at a message that is not processed for a minute. */
export interface Failure {
  /** How many attempts have failed. */
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
  /** The name of the message in which this one is sent together with others. */
  batch?: string;
  /** Not yet part of the `totals` collection. */
  deltas?: Delta[];
  /** The call that put it. */
  trace?: CallOrigin;
  createdAt: number;
  /** Set once the queue has the message: when to look whether it still does. */
  checkAt?: number;
  failure?: Failure;
}

const trace = part<CallOrigin>({ requestId: String, traceparent: String });

export const outboxModel = defineModel<OutboxEntry>(
  'outbox',
  {
    _id: id,
    queue: text,
    name: text,
    payload: json,
    batch: String,
    deltas: optionalArray(part<Delta>({ key: text, namespace: text, amount: number })),
    trace,
    createdAt: number,
    checkAt: Number,
    failure: part<Failure>({ times: number, at: number, message: text }),
  },
  {
    indexes: [
      { key: { createdAt: 1 }, name: 'createdAt' },
      { key: { checkAt: 1, createdAt: 1 }, name: 'hand_over' },
      { key: { batch: 1 }, name: 'batch', sparse: true },
      { key: { 'failure.at': 1 }, name: 'failed', sparse: true },
      { key: { 'deltas.namespace': 1, 'deltas.key': 1 }, name: 'waiting_deltas', sparse: true },
    ],
  },
);
