import { BSON } from '@dtplatform/mongo';
import type { OutboxEntry } from './outbox.model.js';

/** How much a relay hands over at once. */
export const MAX_ENTRIES = 500;
export const MAX_BYTES = 4 * 1024 * 1024;
/** How many entries a cursor holds in memory: batches are large. */
export const READ_AT_ONCE = 20;

/**
 * Reads entries until their size together reaches a limit, which the last one may exceed.
 * @returns whether that was the reason to stop
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
