import { BSON } from '@dtplatform/mongo';
import type { ChangeStream, Mongo, Timestamp } from '@dtplatform/mongo';
import { outboxModel } from './outbox.js';
import type { OutboxEntry } from './outbox.js';

const MAX_BUFFERED = 5_000;
/** How long the server waits for a change before it responds. Less than the timeout of an idle socket. */
const WAIT_MS = 15_000;

/** Batched messages are reported without their content, which is read when the batch is made. */
const CHANGES = [
  { $match: { operationType: 'insert' } },
  {
    $project: {
      operationType: 1,
      fullDocument: {
        $cond: [{ $gt: ['$fullDocument.batch', null] }, { batch: '$fullDocument.batch' }, '$fullDocument'],
      },
    },
  },
];

/**
 * Outbox entries written from now on, from a change stream.
 * @param onChange called when there is something to take or the stream has failed
 */
export async function openFeed({ db }: Mongo, onChange: () => void) {
  const collection = db.collection<OutboxEntry>(outboxModel.collection);
  const stream = collection.watch<OutboxEntry>(CHANGES, {
    batchSize: 500,
    maxAwaitTimeMS: WAIT_MS,
    startAtOperationTime: await operationTime(db),
  });
  const buffer: OutboxEntry[] = [];
  let hasGap = false;
  let hasUnbatched = false;
  let failure: unknown;

  read(stream, (entry) => {
    if (entry.batch !== undefined) hasUnbatched = true;
    else if (buffer.length < MAX_BUFFERED) buffer.push(entry);
    else hasGap = true;
    onChange();
  }).catch((error: unknown) => {
    failure = error;
    onChange();
  });

  return {
    /** Takes up to `max` entries and `maxBytes`, which the last one may exceed. @throws once the stream has failed */
    take(max: number, maxBytes: number): OutboxEntry[] {
      if (failure !== undefined) throw failure;
      let count = 0;
      for (let bytes = 0; count < Math.min(max, buffer.length) && bytes < maxBytes; count++)
        bytes += BSON.calculateObjectSize(buffer[count]!);
      return buffer.splice(0, count);
    },

    hasMore: (): boolean => buffer.length > 0,

    /** Whether messages with a batch were put since the last call. */
    takeUnbatched(): boolean {
      const had = hasUnbatched;
      hasUnbatched = false;
      return had;
    },

    /** Whether entries were dropped since the last call because the buffer was full. */
    takeGap(): boolean {
      const had = hasGap;
      hasGap = false;
      return had;
    },

    /** Does not wait for the read in progress, which may last as long as the server waits. */
    close: () => stream.close().catch(() => undefined),
  };
}

/**
 * The time of the newest write that majority reads see. Later ones are reported by a change stream from there, earlier
 * ones are found by the sweep. The time of a `ping` can be later: neither would see a write that is not committed yet.
 */
async function operationTime(db: Mongo['db']) {
  const { operationTime: now } = await db.command({
    ...{ find: outboxModel.collection, projection: { _id: 1 }, limit: 1, singleBatch: true },
    readConcern: { level: 'majority' },
  });
  return now as Timestamp;
}

async function read(stream: ChangeStream<OutboxEntry>, onEntry: (entry: OutboxEntry) => void): Promise<void> {
  for await (const change of stream) {
    if (change.operationType === 'insert') onEntry(change.fullDocument);
  }
  throw new Error('The change stream ended.');
}

/** Maximum number of entries that a relay hands over together. */
export const MAX_ENTRIES = 500;
export const MAX_BYTES = 4 * 1024 * 1024;
/** Maximum number of entries of a cursor in memory: batches are large. */
export const READ_AT_ONCE = 20;

/**
 * Reads entries until their total size reaches a limit, which the last one may exceed.
 * @returns whether that limit ended the reading
 */
export async function readEntries(
  found: AsyncIterable<OutboxEntry>,
  maxBytes: number,
): Promise<{ entries: OutboxEntry[]; isFull: boolean }> {
  const entries: OutboxEntry[] = [];
  let bytes = 0;
  for await (const entry of found) {
    entries.push(entry);
    bytes += BSON.calculateObjectSize(entry);
    if (bytes >= maxBytes) return { entries, isFull: true };
  }
  return { entries, isFull: false };
}
