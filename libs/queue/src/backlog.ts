import type { Mongo } from '@dtplatform/mongo';
import { outboxModel } from './outbox.model.js';

/** The number of messages in the outbox, and the age of the oldest one: 0 seconds when it is empty. */
export async function backlogOf(mongo: Mongo): Promise<{ messages: number; oldestAgeSec: number }> {
  const outbox = mongo.model(outboxModel);
  const [messages, oldest] = await Promise.all([
    outbox.estimatedDocumentCount(),
    outbox.findOne().sort({ createdAt: 1 }).select({ createdAt: 1 }).lean(),
  ]);
  return { messages, oldestAgeSec: oldest ? Math.max(0, Date.now() - oldest.createdAt) / 1000 : 0 };
}
