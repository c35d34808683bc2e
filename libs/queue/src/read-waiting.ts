import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType } from './messages.js';
import { outboxModel } from './outbox.model.js';
import type { OutboxEntry } from './outbox.model.js';

/** Messages of one type that their consumer may not have processed, with the ids under which it gets them. */
type Waiting<P> = { _id: string; payload: P }[];

interface Limits {
  /** How many messages of any kind may be looked through. */
  maxScanned: number;
  /** Of the messages that are read, as they are stored. */
  maxBytes: number;
  maxTimeMS: number;
}

/** A few of the largest messages at once: more would be in memory before they are counted. */
const BATCH = 20;

/**
 * Reads messages of a type with `batch` that are in the outbox, in a batch or not, in the snapshot of the transaction.
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
