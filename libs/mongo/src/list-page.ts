import mongoose from 'mongoose';
import type { Listing, Paging } from '@dtplatform/contracts';
import { after } from './filters.js';
import type { Filter } from './filters.js';
import type { Model } from './model.js';
import { decoded, encodedPage, queryLimits } from './one-page.js';

interface PageQuery {
  paging: Paging;
  /** By `_id` by default. Must end in a field that is unique, so that pages neither repeat nor miss an entry. */
  sort?: Record<string, 1 | -1> | Map<string, 1 | -1>;
  projection?: Record<string, 0 | 1>;
  /** How many match in all, where that is known without counting. */
  total?: () => Promise<number>;
  /** The filter holds conditions of a caller: they must reach the database as they are, neither sanitized nor cast. */
  asIs?: boolean;
}

/**
 * One page of the documents that match, and how many there are in all. `T` is what the projection leaves of one. Values of the
 * filter must have the types of the model: an aggregation compares them as they are.
 * @throws 400 `PAGE_TOO_LARGE`
 */
export async function listPage<D, T = D>(model: Model<D>, filter: Filter, query: PageQuery): Promise<Listing<T>> {
  // A stored total costs so little that it need not wait for the page.
  const [page, stored] = await Promise.all([findPage(model, filter, query), query.total?.()]);
  const count = async () => stored ?? countAll(model, filter, query);
  const total = await totalOf(query.paging, page.length, count);
  return { list: decoded<T>(page), total };
}

const countAll = <D>(model: Model<D>, filter: Filter, { asIs }: PageQuery): Promise<number> =>
  asIs ? model.collection.countDocuments(filter, queryLimits()) : model.countDocuments(filter, queryLimits()).exec();

async function findPage<D>(model: Model<D>, filter: Filter, query: PageQuery): Promise<Uint8Array[]> {
  const { paging, projection, sort = { _id: 1 } } = query;
  // To MongoDB a limit of 0 is no limit.
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

/** How many there are in all. A page that is not full shows it; otherwise they are counted. */
export async function totalOf(
  { offset, pageSize }: Paging,
  found: number,
  count: () => Promise<number>,
): Promise<number> {
  const isLastPage = found < pageSize && (found > 0 || offset === 0);
  return isLastPage ? offset + found : count();
}

/** The id of the last one of the next `count` documents after an id, in the order of their ids; undefined if there are fewer. */
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
