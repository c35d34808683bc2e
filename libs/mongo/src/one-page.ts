import type { AggregationCursor, FindCursor } from './driver.js';
import { commonErrors } from '@dtplatform/errors';

/** More than there are documents in any page. */
const BATCH_SIZE = 100_000;

/**
 * All documents of a cursor, in one round trip. A reply of the server holds 16 MiB: where the documents have more, the
 * rest stays on the server, and those that came are not even decoded.
 * @throws 400 `PAGE_TOO_LARGE`
 */
export async function onePage<T extends object>(cursor: FindCursor<T> | AggregationCursor<T>): Promise<T[]> {
  await cursor.batchSize(BATCH_SIZE).hasNext();
  const { id } = cursor;
  if (id && !id.isZero()) {
    await cursor.close();
    throw commonErrors.pageTooLarge();
  }
  return cursor.readBufferedDocuments();
}
