import { errors } from '../errors.js';
import type { Version } from '../domain/items/item.js';
import type { OlderMatch } from '../domain/query/item-filter.js';
import type { Filter } from '../domain/query/plain-filter.js';
import type { Projection } from '../domain/query/projection.js';
import type { Collections } from './collections.js';
import { asking, MAX_TIME_MS } from './query-errors.js';
import { fieldsOf, keeps, versionProjection } from './stored-projection.js';

/** What a query may find by its older versions, and show of them. */
const MAX_MATCHES = 10_000;
export const MAX_SHOWN_VERSIONS = 5_000;

/** Finds the items of which an older version matches, and tells the filters that wait for their ids. */
export async function findOlderMatches({ versions }: Collections, older: OlderMatch[], visible: Filter): Promise<void> {
  for (const { filter, ids } of older) {
    const pipeline = [
      { $match: { $and: [visible, filter] } },
      { $group: { _id: '$_userItemDbId' } },
      { $limit: MAX_MATCHES + 1 },
    ];
    const found = await asking(() =>
      versions.aggregate<{ _id: string }>(pipeline, { maxTimeMS: MAX_TIME_MS }).toArray(),
    );
    if (found.length > MAX_MATCHES) throw errors.queryTooBroad();
    for (const { _id } of found) ids.push(_id);
  }
}

/** The older versions of items, newest first, with the fields that a projection of the items leaves. */
export async function olderVersionsOf(
  { versions }: Collections,
  itemIds: string[],
  itemProjection: Projection | undefined,
  chosen: Filter = {},
): Promise<Map<string, Partial<Version>[]>> {
  const byItem = new Map<string, Partial<Version>[]>();
  const projection = versionProjection(itemProjection);
  if (!projection) return byItem;
  const list = await versions
    .find(
      { _userItemDbId: { $in: itemIds }, ...chosen },
      { projection: fieldsWithOwner(projection), maxTimeMS: MAX_TIME_MS },
    )
    .sort({ _userItemDbId: 1, _version: -1 })
    .limit(MAX_SHOWN_VERSIONS + 1)
    .toArray();
  if (list.length > MAX_SHOWN_VERSIONS) throw errors.queryTooBroad();
  for (const version of list) {
    const owner = version._userItemDbId;
    if (projection !== 'all' && !keeps(projection, OWNER)) delete (version as Partial<Version>)._userItemDbId;
    const known = byItem.get(owner);
    if (known) known.push(version);
    else byItem.set(owner, [version]);
  }
  return byItem;
}

const OWNER = '_userItemDbId';
const HIDDEN = ['_namespaces'];

/** The owner is needed to tell whose version it is, even if the caller does not ask for it. */
function fieldsWithOwner(projection: Projection | 'all') {
  if (projection === 'all') return fieldsOf(undefined, HIDDEN);
  const others = projection.paths.filter((path) => path !== OWNER);
  return fieldsOf({ ...projection, paths: projection.kind === 'only' ? [...others, OWNER] : others }, HIDDEN);
}
