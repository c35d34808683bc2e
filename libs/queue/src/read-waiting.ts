import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType } from './messages.js';
import { outboxModel } from './outbox.model.js';
import type { OutboxEntry } from './outbox.model.js';

/** Messages of one type that their consumer may not have processed, with their ids. */
export type Waiting<P> = { _id: string; payload: P }[];

/**
 * Reads messages that are in the outbox, in the snapshot of the transaction.
 * @param options.payload values of fields of the payload
 * @param options.maxScanned how many messages of any kind may be looked through
 * @returns undefined if there are more
 */
export async function readWaiting<P>(
  { db }: Pick<Mongo, 'db'>,
  session: ClientSession,
  { queue, name }: Pick<MessageType<P>, 'queue' | 'name'>,
  { payload, maxScanned }: { payload: Partial<P>; maxScanned: number },
): Promise<Waiting<P> | undefined> {
  const outbox = db.collection<OutboxEntry>(outboxModel.collection);
  if ((await outbox.countDocuments({}, { limit: maxScanned + 1, session })) > maxScanned) return undefined;
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(payload)) fields[`payload.${field}`] = value;
  const projection = { payload: 1 };
  return outbox.find({ queue, name, ...fields }, { projection, session }).toArray() as unknown as Promise<Waiting<P>>;
}
