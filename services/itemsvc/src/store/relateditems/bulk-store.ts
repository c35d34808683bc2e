import { commonErrors } from '@dtplatform/errors';
import { BSON, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, TaskPayload, Tasks } from '@dtplatform/queue';
import type { Failure } from '../../domain/partial-writes.js';
import type { BulkStore } from '../../domain/relateditems/ports.js';
import type { RelatedItem } from '../../domain/relateditems/related-item.js';
import { bulkBatchModel } from './bulk-batch.model.js';
import type { BulkBatch } from './bulk-batch.model.js';

/** What the processor of a bulk works on; its entries are in batches. */
export interface BulkInput {
  itemId: string;
  version: { _id: string; _version: number };
  /** Entries that will be added. */
  count: number;
  failures: Failure[];
}

/** Of one transaction, and of one document. */
const MAX_ROWS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Bulks of a namespace that may wait before further ones are refused. */
const MAX_WAITING = 100;
const RETRY_AFTER_SEC = 5;

const WAITING = new Set(['QUEUED', 'RUNNING']);

/** Accepted bulks: their tasks, and their entries in batches (docs/adr/0065). */
export function createBulkStore({
  mongo,
  tasks,
  addMessage,
}: {
  mongo: Mongo;
  tasks: Tasks;
  /** Carries the task of a bulk. */
  addMessage: MessageType<TaskPayload>;
}): BulkStore {
  const batches = mongo.db.collection<BulkBatch>(bulkBatchModel.collection);

  /** @throws 429 */
  async function checkLimit(namespace: string): Promise<void> {
    const ids = await batches.distinct('taskId', { namespace });
    if (ids.length < MAX_WAITING) return;
    // Batches of a process that died may have no task.
    const waiting = (await tasks.getMany(ids)).filter((task) => task && WAITING.has(task._status));
    if (waiting.length < MAX_WAITING) return;
    const message = 'Too many bulks of the namespace wait.';
    throw commonErrors.tooManyRequests({ retryAfterSec: RETRY_AFTER_SEC, message });
  }

  return {
    async accept({ item, version }, rows, failures, { namespace, byId, bodyBytes }) {
      await checkLimit(namespace);
      const taskId = newId();
      try {
        for (const batch of batchesOf(taskId, rows)) {
          await batches.insertOne({ ...batch, namespace }, { writeConcern: { w: 'majority' } });
        }
        const input: BulkInput = {
          itemId: item._id,
          version: { _id: version._id, _version: version._version },
          count: rows.length,
          failures,
        };
        return await mongo.transaction((session) =>
          tasks.create<BulkInput>(session, {
            ...{ id: taskId, message: addMessage, namespaces: [namespace], input },
            ...{ createdById: byId, reqBodySize: bodyBytes, total: rows.length },
          }),
        );
      } catch (error) {
        // They expire anyway.
        await batches.deleteMany({ taskId }).catch(() => undefined);
        throw error;
      }
    },
  };
}

function* batchesOf(taskId: string, rows: RelatedItem[]): Generator<Omit<BulkBatch, 'namespace'>> {
  let batch: RelatedItem[] = [];
  let bytes = 0;
  let done = 0;
  let number = 0;
  const close = () => {
    done += batch.length;
    number += 1;
    const closed = { _id: `${taskId}/${number}`, taskId, number, rows: batch, done, at: new Date() };
    batch = [];
    bytes = 0;
    return closed;
  };
  for (const row of rows) {
    const size = BSON.calculateObjectSize(row);
    if (batch.length > 0 && (batch.length >= MAX_ROWS || bytes + size > MAX_BYTES)) yield close();
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield close();
}
