import type { Collection } from './driver.js';
import type { QueryLimits } from './query-limits.js';

/** More than there are documents in any reply. */
const BATCH_SIZE = 100_000;

/** What one reply of the server holds. */
interface FirstReply {
  /** In BSON: they stay encoded until it is known how large they are. */
  documents: Uint8Array[];
  /** Whether there are more, which did not fit. */
  isPart: boolean;
}

/** The server's first reply to an aggregation. Whatever does not fit stays on the server. */
export async function readReply(
  collection: Collection,
  pipeline: object[],
  limits: Partial<QueryLimits> = {},
): Promise<FirstReply> {
  const cursor = collection.aggregate(pipeline, { ...limits, raw: true, batchSize: BATCH_SIZE });
  await cursor.hasNext();
  const documents = cursor.readBufferedDocuments() as Uint8Array[];
  const isPart = cursor.id !== undefined && !cursor.id.isZero();
  if (isPart) await cursor.close();
  return { documents, isPart };
}
