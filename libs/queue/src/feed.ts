import type { ChangeStream, Mongo, Timestamp } from '@dtplatform/mongo';
import { outboxModel } from './outbox.model.js';
import type { OutboxEntry } from './outbox.model.js';

const MAX_BUFFERED = 5_000;

/** Outbox entries that are written from now on, as a change stream reports them. */
export async function openFeed({ db }: Mongo) {
  const collection = db.collection<OutboxEntry>(outboxModel.collection);
  const stream = collection.watch<OutboxEntry>([{ $match: { operationType: 'insert' } }], {
    batchSize: 500,
    startAtOperationTime: await operationTime(db),
  });
  const buffer: OutboxEntry[] = [];
  let hasGap = false;
  let failure: unknown;
  let wake = (): void => undefined;

  const reading = read(stream, (entry) => {
    if (buffer.length < MAX_BUFFERED) buffer.push(entry);
    else hasGap = true;
    wake();
  }).catch((error: unknown) => {
    failure = error;
    wake();
  });

  return {
    /** Up to `max` entries; waits for the first one for at most `timeoutMs`. Rejects once the stream has failed. */
    async take(max: number, timeoutMs: number, signal: AbortSignal): Promise<OutboxEntry[]> {
      if (buffer.length === 0 && failure === undefined) {
        await waitFor((resolve) => (wake = resolve), timeoutMs, signal);
      }
      if (failure !== undefined) throw failure;
      return buffer.splice(0, max);
    },

    /** Whether entries were dropped since the last call because the buffer was full. */
    takeGap(): boolean {
      const had = hasGap;
      hasGap = false;
      return had;
    },

    async close(): Promise<void> {
      await stream.close().catch(() => undefined);
      await reading;
    },
  };
}

/** By itself, a stream starts only with its first request to the server. */
async function operationTime(db: Mongo['db']) {
  const { operationTime: now } = await db.command({ ping: 1 });
  return now as Timestamp;
}

async function read(stream: ChangeStream<OutboxEntry>, onEntry: (entry: OutboxEntry) => void): Promise<void> {
  for await (const change of stream) {
    if (change.operationType === 'insert') onEntry(change.fullDocument);
  }
  throw new Error('The change stream ended.');
}

async function waitFor(arm: (resolve: () => void) => void, timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, timeoutMs);
    signal.addEventListener('abort', finish);
    arm(finish);
  });
}
