import { defineModel, id, json, newId, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { currentCall } from '@dtplatform/telemetry';
import type { CallOrigin } from '@dtplatform/telemetry';
import type { MessageType } from './messages.js';

interface PutOptions {
  /** Default: a new one. The same id put twice is one message until it is processed. */
  id?: string;
  /** Only for a message type with `batch`. */
  deltas?: Delta[];
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Messages written in a transaction. They are sent if and only if it commits. */
export function createOutbox({ db }: Pick<Mongo, 'db'>) {
  // On the path of every write; values are validated here, so Mongoose's casts would only cost time.
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

/** A value after a JSON round trip. MongoDB would store undefined fields as null. */
export const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The current call's context, for a message. */
export function currentTrace(): CallOrigin | undefined {
  const call = currentCall();
  if (!call) return undefined;
  const { requestId, traceparent } = call;
  return requestId === undefined ? { traceparent } : { requestId, traceparent };
}

/** BullMQ rejects ids that contain a colon or are numbers. */
function jobId(id = newId()): string {
  if (id.includes(':') || /^\d{1,20}$/.test(id))
    throw new Error('The id of a message must not be a number or contain a colon.');
  return id;
}

/** A change of a total. */
export interface Delta {
  /** What is counted, such as `nameduseritem`. */
  key: string;
  namespace: string;
  amount: number;
}

/** The latest failed attempt at a message that has not been processed for a minute. */
export interface Failure {
  /** Number of failed attempts. */
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
  /** The name of the message that batches this one. */
  batch?: string;
  /** Not yet part of the `totals` collection. */
  deltas?: Delta[];
  /** The call that put it. */
  trace?: CallOrigin;
  createdAt: number;
  /** Set once the queue has the message: when to check that it still does. */
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

/** Messages of one type that their consumer may not have processed, with the ids of their delivery. */
type Waiting<P> = { _id: string; payload: P }[];

interface Limits {
  /** Maximum number of messages of any kind to scan. */
  maxScanned: number;
  /** Total stored size of the messages read. */
  maxBytes: number;
  maxTimeMS: number;
}

/** A few of the largest messages: they are in memory before they are counted. */
const BATCH = 20;

/**
 * Reads messages of a type with `batch` from the outbox, batched or not, in the snapshot of the transaction.
 * @param payload values of fields of the payload
 * @returns undefined if there are more, or larger ones, than the limits allow
 */
export async function readWaiting<P extends object>(
  { db }: Pick<Mongo, 'db'>,
  session: ClientSession,
  { queue, name, batch }: Pick<MessageType<P>, 'queue' | 'name' | 'batch'>,
  payload: Partial<P>,
  { maxScanned, maxBytes, maxTimeMS }: Limits,
): Promise<Waiting<P> | undefined> {
  const outbox = db.collection<OutboxEntry>(outboxModel.collection);
  const options = { session, maxTimeMS };
  if ((await outbox.countDocuments({}, { ...options, limit: maxScanned + 1 })) > maxScanned) return undefined;
  const fieldsOf = (path: string) =>
    Object.fromEntries(Object.entries(payload).map(([field, value]) => [`${path}.${field}`, value]));
  const $or = [
    { name, ...fieldsOf('payload') },
    { name: batch, ...fieldsOf('payload.messages') },
  ];
  const projection = { payload: 1, bytes: { $bsonSize: '$$ROOT' } };
  const found = outbox
    .find({ queue, $or }, { ...options, projection, batchSize: BATCH })
    .map((entry) => entry as unknown as { _id: string; payload: P | { messages: P[] }; bytes: number });
  const isWanted = (message: P) =>
    Object.entries(payload).every(([field, value]) => message[field as keyof P] === value);
  const waiting: Waiting<P> = [];
  let bytes = 0;
  for await (const { _id, payload: content, bytes: size } of found) {
    bytes += size;
    if (bytes > maxBytes) return undefined;
    const messages = 'messages' in content ? content.messages : [content];
    waiting.push(...messages.filter(isWanted).map((message) => ({ _id, payload: message })));
  }
  return waiting;
}
