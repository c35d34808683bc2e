import type { Db } from 'mongodb';
import { OUTBOX } from './outbox.js';
import type { OutboxEntry } from './outbox.js';

/** How many messages wait in the outbox, and for how long the oldest of them has: 0 seconds when there is none. */
export async function backlogOf(db: Db): Promise<{ messages: number; oldestAgeSec: number }> {
  const outbox = db.collection<OutboxEntry>(OUTBOX);
  const [messages, oldest] = await Promise.all([
    outbox.estimatedDocumentCount(),
    outbox.findOne({}, { sort: { createdAt: 1 }, projection: { createdAt: 1 } }),
  ]);
  return { messages, oldestAgeSec: oldest ? Math.max(0, Date.now() - oldest.createdAt) / 1000 : 0 };
}
