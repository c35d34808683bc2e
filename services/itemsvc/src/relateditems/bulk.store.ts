import { commonErrors } from '@dtplatform/errors';
import { BSON, defineModel, id, json, newId, number, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox, TaskPayload, Tasks } from '@dtplatform/queue';
import { itemModel } from '../nameduseritems/item.model.js';
import type { Failure } from '../nameduseritems/partial-writes.js';
import type { Owner } from './collections.js';
import { createOwnedWrites } from './owned-writes.store.js';
import type { RelatedItem } from './related-item.js';

/** Entries of an accepted bulk that are not added yet. */
interface BulkBatch {
  /** `<task>/<number>` */
  _id: string;
  taskId: string;
  number: number;
  /** The namespace of the call, for the limit. */
  namespace: string;
  /** Already with their ids, so that a retry adds none twice. */
  rows: RelatedItem[];
  /** Entries of the bulk that are done after this batch. */
  done: number;
  at: Date;
}

/** Longer than any task waits. Expires batches whose task was never stored. */
const KEPT_FOR_SEC = 30 * 86_400;

export const bulkBatchModel = defineModel<BulkBatch>(
  'bulk_batches',
  {
    _id: id,
    taskId: id,
    number,
    namespace: text,
    rows: [json],
    done: number,
    at: Date,
  },
  {
    indexes: [
      { key: { taskId: 1, number: 1 }, name: 'task' },
      { key: { namespace: 1, taskId: 1 }, name: 'namespace' },
      { key: { at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_FOR_SEC },
    ],
  },
);

/** Input of a bulk's task; the entries are in batches. */
export interface BulkInput {
  itemId: string;
  version: { _id: string; _version: number };
  /** Valid entries. */
  count: number;
  failures: Failure[];
}

/** Per transaction and per document. */
const MAX_ROWS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Bulks of a namespace that may wait before further ones are rejected. */
const MAX_WAITING = 100;
const RETRY_AFTER_SEC = 5;

const WAITING = new Set(['QUEUED', 'RUNNING']);

/** Accepted bulks: a task, and the entries in batches. */
export function createBulkStore({
  mongo,
  tasks,
  addMessage,
}: {
  mongo: Mongo;
  tasks: Tasks;
  addMessage: MessageType<TaskPayload>;
}) {
  const batches = mongo.collection(bulkBatchModel);

  /** @throws 429 */
  async function checkLimit(namespace: string): Promise<void> {
    const ids = await batches.distinct('taskId', { namespace });
    if (ids.length < MAX_WAITING) return;
    // Batches of a dead process may have no task.
    const waiting = (await tasks.getMany(ids)).filter((task) => task && WAITING.has(task._status));
    if (waiting.length < MAX_WAITING) return;
    const message = 'Too many bulk calls of the namespace are waiting.';
    throw commonErrors.tooManyRequests({ retryAfterSec: RETRY_AFTER_SEC, message });
  }

  return {
    /** Stores related items to be added, then their task. @returns the id of the task */
    async accept(
      { item, version }: Owner,
      rows: RelatedItem[],
      failures: Failure[],
      { namespace, byId, bodyBytes }: { namespace: string; byId: string; bodyBytes: number },
    ): Promise<string> {
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
        // Best effort: they also expire.
        await batches.deleteMany({ taskId }).catch(() => undefined);
        throw error;
      }
    },
  };
}

export type BulkStore = ReturnType<typeof createBulkStore>;

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

export type BulkWriter = ReturnType<typeof createBulkWriter>;

export function createBulkWriter({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const batches = mongo.collection(bulkBatchModel);
  const items = mongo.model(itemModel);
  const writes = createOwnedWrites({ mongo, outbox });

  return {
    /**
     * Adds the next batch and removes it, in one transaction, so that each entry is added exactly once.
     * @returns entries of the bulk done so far; undefined if no batch is left
     * @throws 404 if the item or its version is gone
     */
    async addNext(taskId: string, { itemId, version }: BulkInput): Promise<number | undefined> {
      const batch = await batches.findOne({ taskId }, { sort: { number: 1 } });
      if (!batch) return undefined;
      const item = await items.findById(itemId, { _userItemId: 1, _itemClass: 1 }).lean();
      if (!item) throw commonErrors.notFound();
      await mongo.transaction(async (session) => {
        const { deletedCount } = await batches.deleteOne({ _id: batch._id }, { session });
        if (deletedCount === 1) await writes.insert([{ owner: { item, version }, rows: batch.rows }], session);
      });
      return batch.done;
    },

    /** Removes the batches of a failed bulk. */
    async discard(taskId: string): Promise<void> {
      await batches.deleteMany({ taskId });
    },
  };
}
