import { defineModel, id, json, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { CallOrigin } from '@dtplatform/telemetry';

/** What a write adds to (or takes from) a total. */
export interface Delta {
  /** What is counted, such as `nameduseritem`. */
  key: string;
  namespace: string;
  amount: number;
}

/** A message on its way to its queue. Its id becomes the job's. */
export interface OutboxEntry {
  _id: string;
  queue: string;
  name: string;
  payload: unknown;
  attempts: number;
  backoffMs: number;
  /** Not yet part of the `totals` collection. */
  deltas?: Delta[];
  /** Whether the queue forgets the job when it ends, so that the same id can be put again. */
  forget?: boolean;
  /** The call that put it. */
  trace?: CallOrigin;
  createdAt: number;
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
});
outboxModel.schema.index({ createdAt: 1 }, { name: 'createdAt' });
outboxModel.schema.index({ 'deltas.namespace': 1, 'deltas.key': 1 }, { name: 'waiting_deltas', sparse: true });
