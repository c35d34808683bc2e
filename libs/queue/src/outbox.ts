import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { currentCall } from '@dtplatform/telemetry';
import type { CallOrigin } from '@dtplatform/telemetry';
import type { MessageType } from './messages.js';
import { outboxModel } from './outbox.model.js';
import type { Delta, OutboxEntry } from './outbox.model.js';

interface PutOptions {
  /** By default a new one. The same id put twice is one message until it is processed. */
  id?: string;
  /** Only for a message type with `batch`. */
  deltas?: Delta[];
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Messages that are written in a transaction: they are sent if, and only if, it commits. */
export function createOutbox({ db }: Pick<Mongo, 'db'>) {
  // On the path of every write, with values that are checked here: Mongoose's casts would only cost time.
  const collection = db.collection<OutboxEntry>(outboxModel.collection);

  const insertOnce = async ({ _id, ...entry }: OutboxEntry, session: ClientSession) => {
    await collection.updateOne({ _id }, { $setOnInsert: entry }, { session, upsert: true });
  };

  return {
    /**
     * Puts a message into the outbox, in the caller's transaction.
     * @throws ZodError when the payload does not match its schema: a programming error
     */
    async put<P>(session: ClientSession, type: MessageType<P>, payload: P, options: PutOptions = {}): Promise<void> {
      const entry = entryOf(type, payload, options);
      if (options.id === undefined) await collection.insertOne(entry, { session });
      else await insertOnce(entry, session);
    },

    /** Puts several messages of one type at once. */
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
      await collection.bulkWrite(writes, { session });
    },
  };
}

function entryOf<P>(type: MessageType<P>, payload: P, { id, deltas }: PutOptions): OutboxEntry {
  type.payload.parse(payload);
  const { queue, name, batch } = type;
  if (deltas && batch === undefined) throw new Error(`A message without a batch has no deltas: ${name}`);
  const trace = currentTrace();
  return {
    _id: jobId(id),
    queue,
    name,
    payload: asJson(payload),
    ...(batch !== undefined && { batch }),
    ...(deltas && { deltas }),
    ...(trace && { trace }),
    createdAt: Date.now(),
  };
}

/** A value as the queue hands it on. MongoDB would store fields that are undefined as null. */
export const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The part of the current call that travels with a message. */
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
