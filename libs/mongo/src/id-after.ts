import { after } from './filters.js';
import type { Model } from './model.js';
import type { Filter } from './scope-filter.js';

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
