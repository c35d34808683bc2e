import type { ChangeStream, Collection } from 'mongodb';
import type { OutboxEntry } from './outbox.js';

const MAX_BUFFERED = 5_000;

/** New outbox entries, as a change stream tells of them. May miss some (then `hasGap`): a sweep finds those. */
export function openFeed(collection: Collection<OutboxEntry>) {
  const stream = collection.watch<OutboxEntry>([{ $match: { operationType: 'insert' } }], { batchSize: 500 });
  let buffer: OutboxEntry[] = [];
  let hasGap = false;
  let failure: unknown;
  let wake = () => {};

  const reading = read(stream, (entry) => {
    if (buffer.length < MAX_BUFFERED) buffer.push(entry);
    else hasGap = true;
    wake();
  }).catch((error: unknown) => {
    failure = error;
    wake();
  });

  return {
    /** Up to `max` entries; waits for the first of them for `timeoutMs` at most. Throws when the stream has broken. */
    async take(max: number, timeoutMs: number): Promise<OutboxEntry[]> {
      if (buffer.length === 0 && failure === undefined) await waitFor((resolve) => (wake = resolve), timeoutMs);
      if (failure !== undefined) throw failure;
      const taken = buffer.slice(0, max);
      buffer = buffer.slice(max);
      return taken;
    },
    /** Whether entries were left out since the last call. */
    takeGap(): boolean {
      const had = hasGap;
      hasGap = false;
      return had;
    },
    wake: () => wake(),
    async close(): Promise<void> {
      await stream.close().catch(() => undefined);
      await reading;
    },
  };
}

async function read(stream: ChangeStream<OutboxEntry>, onEntry: (entry: OutboxEntry) => void): Promise<void> {
  for await (const change of stream) {
    if (change.operationType === 'insert') onEntry(change.fullDocument);
  }
  throw new Error('The change stream has ended.');
}

async function waitFor(arm: (resolve: () => void) => void, timeoutMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    arm(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
