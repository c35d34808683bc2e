import type { Collection, Document, Filter, FindOptions, Sort, WithId } from 'mongodb';

export interface PageQuery {
  offset: number;
  /** 0 gives an empty page. */
  pageSize: number;
  sort?: Sort;
  projection?: Document;
  /** Longest time on the server, in milliseconds; past it the error is `isTimeLimitExceeded`. */
  maxTimeMs?: number;
  signal?: AbortSignal;
}

/** One page of the documents that match. Does not count them. `T` in the result is what the projection leaves. */
export async function findPage<D extends Document, T = WithId<D>>(
  collection: Collection<D>,
  filter: Filter<D>,
  page: PageQuery,
): Promise<T[]> {
  // To MongoDB a limit of 0 is no limit at all.
  if (page.pageSize === 0) return [];
  return collection.find(filter, findOptions(page)).toArray() as unknown as Promise<T[]>;
}

const findOptions = ({
  offset,
  pageSize,
  sort,
  projection,
  maxTimeMs,
  signal,
}: PageQuery): FindOptions & { signal?: AbortSignal } => ({
  skip: offset,
  limit: pageSize,
  // The whole page in one round trip, where its documents fit in one reply.
  batchSize: pageSize + 1,
  ...(sort && { sort }),
  ...(projection && { projection }),
  ...(maxTimeMs && { maxTimeMS: maxTimeMs }),
  ...(signal && { signal }),
});
