import { BSON } from '@dtplatform/mongo';
import type { OutboxEntry } from './outbox.model.js';

/** As a cursor gets them from the database: the largest ones at once. */
export const READ_AT_ONCE = 20;

/**
 * Reads entries until they have a size together, which the last one may exceed: joined ones are large.
 * @returns whether that was the reason to stop
 */
export async function readEntries(
  found: AsyncIterable<OutboxEntry> | Iterable<OutboxEntry>,
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
