import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType } from './messages.js';
import { outboxModel } from './outbox.model.js';
import type { OutboxEntry } from './outbox.model.js';

/** Messages of one type that their consumer may not have processed, with their ids. */
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
 * Reads messages that are in the outbox, in the snapshot of the transaction.
 * @param payload values of fields of the payload
 * @returns undefined if there are more, or larger ones, than the limits allow
 */
export async function readWaiting<P>(
  { db }: Pick<Mongo, 'db'>,
  session: ClientSession,
  { queue, name }: Pick<MessageType<P>, 'queue' | 'name'>,
  payload: Partial<P>,
  { maxScanned, maxBytes, maxTimeMS }: Limits,
): Promise<Waiting<P> | undefined> {
  const outbox = db.collection<OutboxEntry>(outboxModel.collection);
  const options = { session, maxTimeMS };
  if ((await outbox.countDocuments({}, { ...options, limit: maxScanned + 1 })) > maxScanned) return undefined;
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(payload)) fields[`payload.${field}`] = value;
  const projection = { payload: 1, bytes: { $bsonSize: '$$ROOT' } };
  const found = outbox
    .find({ queue, name, ...fields }, { ...options, projection, batchSize: BATCH })
    .map((entry) => entry as unknown as Waiting<P>[number] & { bytes: number });
  const waiting: Waiting<P> = [];
  let bytes = 0;
  for await (const { _id, payload: content, bytes: size } of found) {
    bytes += size;
    if (bytes > maxBytes) return undefined;
    waiting.push({ _id, payload: content });
  }
  return waiting;
}
