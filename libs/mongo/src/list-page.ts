import mongoose from 'mongoose';
import type { Listing, Paging } from '@dtplatform/contracts';
import { after } from './filters.js';
import type { Filter } from './filters.js';
import type { Model } from './model.js';
import { decoded, encodedPage, queryLimits } from './one-page.js';

interface PageQuery {
  paging: Paging;
  /** Default `_id`. Must end in a unique field, so that pages neither repeat nor skip entries. */
  sort?: Record<string, 1 | -1> | Map<string, 1 | -1>;
  projection?: Record<string, 0 | 1>;
  /** The total, if known without counting. */
  total?: () => Promise<number>;
  /** The filter contains a caller's conditions, which must reach the database neither sanitized nor cast. */
  asIs?: boolean;
}

/**
 * A page of matching documents, and their total number. `T` is a projected document. Values in the filter must have the
 * model's types, because an aggregation does not cast them.
 * @throws 400 `PAGE_TOO_LARGE`
 */
export async function listPage<D, T = D>(model: Model<D>, filter: Filter, query: PageQuery): Promise<Listing<T>> {
  // A stored total is cheap, so it is read in parallel.
  const [page, stored] = await Promise.all([findPage(model, filter, query), query.total?.()]);
  const count = async () => stored ?? countAll(model, filter, query);
  const total = await totalOf(query.paging, page.length, count);
  return { list: decoded<T>(page), total };
}

const countAll = <D>(model: Model<D>, filter: Filter, { asIs }: PageQuery): Promise<number> =>
  asIs ? model.collection.countDocuments(filter, queryLimits()) : model.countDocuments(filter, queryLimits()).exec();

async function findPage<D>(model: Model<D>, filter: Filter, query: PageQuery): Promise<Uint8Array[]> {
  const { paging, projection, sort = { _id: 1 } } = query;
  // A limit of 0 means no limit in MongoDB.
  if (paging.pageSize === 0) return [];
  const pipeline = [
    { $match: query.asIs ? filter : mongoose.sanitizeFilter(filter) },
    { $sort: sort },
    { $skip: paging.offset },
    { $limit: paging.pageSize },
    ...(projection ? [{ $project: projection }] : []),
  ];
  return encodedPage(model.collection, pipeline, paging.pageSize);
}

/** The total number of matches. A page that is not full implies it; otherwise they are counted. */
export async function totalOf(
  { offset, pageSize }: Paging,
  found: number,
  count: () => Promise<number>,
): Promise<number> {
  const isLastPage = found < pageSize && (found > 0 || offset === 0);
  return isLastPage ? offset + found : count();
}

/** The id of the last of the next `count` documents after an id, in id order; undefined if there are fewer. */
export async function idAfter<D extends { _id: string }>(
  model: Model<D>,
  filter: Filter,
  { after: previous, count }: { after: string; count: number },
): Promise<string | undefined> {
  const next = model.find({ ...filter, _id: after(previous) } as never, { _id: 1 } as never).sort({ _id: 1 });
  const [last] = await next
    .skip(count - 1)
    .limit(1)
    .lean<{ _id: string }[]>();
  return last?._id;
}
