import { after } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { outboxModel } from './outbox.model.js';

/** What the outbox holds. */
export interface Backlog {
  /** Messages that are not in their queue yet. */
  messages: number;
  /** Age of the oldest of these: 0 seconds when there is none. */
  oldestAgeSec: number;
  /** Messages that their queue has and their consumer has not processed. */
  unprocessed: number;
  /** Those of them whose last attempt had failed when they were last looked at. */
  failed: number;
}

export async function backlogOf(mongo: Mongo): Promise<Backlog> {
  const outbox = mongo.model(outboxModel);
  const [all, unprocessed, failed, oldest] = await Promise.all([
    outbox.estimatedDocumentCount(),
    outbox.countDocuments({ checkAt: after(0) }),
    outbox.countDocuments({ 'failure.at': after(0) }),
    outbox.findOne({ checkAt: null }).sort({ createdAt: 1 }).select({ createdAt: 1 }).lean(),
  ]);
  const oldestAgeSec = oldest ? Math.max(0, Date.now() - oldest.createdAt) / 1000 : 0;
  return { messages: Math.max(0, all - unprocessed), oldestAgeSec, unprocessed, failed };
}
