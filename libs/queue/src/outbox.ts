import { newId } from '@dtplatform/mongo';
import { currentCall } from '@dtplatform/telemetry';
import type { CallOrigin } from '@dtplatform/telemetry';
import type { ClientSession, Db } from 'mongodb';
import type { MessageType } from './messages.js';

export const OUTBOX = 'outbox';

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

export interface PutOptions {
  /** Default: a new one. The same id put twice is one message, as long as the queue remembers it (completed: an hour or 1000 jobs). */
  id?: string;
  deltas?: Delta[];
  /** See `OutboxEntry`. */
  forget?: boolean;
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Messages that leave together with the writes of a transaction: they are sent if, and only if, it commits. */
export function createOutbox(db: Db) {
  const collection = db.collection<OutboxEntry>(OUTBOX);

  const insertOnce = async ({ _id, ...entry }: OutboxEntry, session: ClientSession) => {
    const options = { session, upsert: true, ignoreUndefined: true };
    await collection.updateOne({ _id }, { $setOnInsert: entry }, options);
  };

  return {
    /**
     * Puts a message into the outbox as a part of the caller's transaction. Throws a ZodError when the payload does not fit its
     * schema: a programming error.
     */
    async put<P>(session: ClientSession, type: MessageType<P>, payload: P, options: PutOptions = {}): Promise<void> {
      const entry = entryOf(type, payload, options);
      if (options.id === undefined) await collection.insertOne(entry, { session, ignoreUndefined: true });
      else await insertOnce(entry, session);
    },

    /** Puts messages of tasks again, outside of a transaction. Nothing happens to those that still wait in the outbox. */
    async putTasks(
      tasks: readonly Pick<OutboxEntry, '_id' | 'queue' | 'name' | 'attempts' | 'backoffMs' | 'trace'>[],
    ): Promise<void> {
      const createdAt = Date.now();
      const updates = tasks.map(({ _id, ...message }) => {
        const entry = { ...message, payload: { taskId: _id }, forget: true, createdAt };
        return { updateOne: { filter: { _id }, update: { $setOnInsert: entry }, upsert: true } };
      });
      if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
    },

    /** Puts several messages of one kind at once. */
    async putMany<P>(
      session: ClientSession,
      type: MessageType<P>,
      messages: readonly ({ payload: P } & PutOptions)[],
    ): Promise<void> {
      if (messages.length === 0) return;
      const writes = messages.map(({ payload, ...options }) => {
        const document = entryOf(type, payload, options);
        const { _id, ...rest } = document;
        if (options.id === undefined) return { insertOne: { document } };
        return { updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true } };
      });
      await collection.bulkWrite(writes, { session, ignoreUndefined: true });
    },
  };
}

function entryOf<P>(type: MessageType<P>, payload: P, { id, deltas, forget }: PutOptions): OutboxEntry {
  type.payload.parse(payload);
  const { queue, name, attempts, backoffMs } = type;
  const createdAt = Date.now();
  return {
    _id: jobId(id),
    queue,
    name,
    payload,
    attempts,
    backoffMs,
    deltas,
    forget,
    trace: currentTrace(),
    createdAt,
  };
}

/** What a message carries of the call that puts it. */
export function currentTrace(): CallOrigin | undefined {
  const call = currentCall();
  if (!call) return undefined;
  const { requestId, traceparent } = call;
  return requestId === undefined ? { traceparent } : { requestId, traceparent };
}

/** BullMQ refuses ids with a colon and those that are numbers. */
function jobId(id = newId()): string {
  if (id.includes(':') || /^\d{1,20}$/.test(id))
    throw new Error('The id of a message must not be a number or hold a colon.');
  return id;
}
