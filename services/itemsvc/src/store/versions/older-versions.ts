import { onePage, queryLimits } from '@dtplatform/mongo';
import type { Filter, Model } from '@dtplatform/mongo';
import type { Projection } from '../../domain/query/projection.js';
import type { OlderVersion, Version } from '../../domain/versions/version.js';
import { errors } from '../../errors.js';
import type { OlderMatch } from '../query/item-filter.js';
import { fieldsOf, keeps, versionProjection } from '../query/stored-projection.js';

/** How many older versions a query may match, and show. */
const MAX_MATCHES = 10_000;
export const MAX_SHOWN_VERSIONS = 5_000;

/** Finds the items of which an older version matches, and completes the filters that need their ids. */
export async function findOlderMatches(
  versions: Model<OlderVersion>,
  older: OlderMatch[],
  visible: Filter,
): Promise<void> {
  for (const { filter, ids } of older) {
    const found = await versions
      .aggregate<{ _id: string }>([
        { $match: { $and: [visible, filter] } },
        { $group: { _id: '$_userItemDbId' } },
        { $limit: MAX_MATCHES + 1 },
      ])
      .option(queryLimits());
    if (found.length > MAX_MATCHES) throw errors.queryTooBroad();
    for (const { _id } of found) ids.push(_id);
  }
}

/** The older versions of items, newest first, with the fields that a projection of the items leaves. */
export async function olderVersionsOf(
  versions: Model<OlderVersion>,
  itemIds: string[],
  itemProjection: Projection | undefined,
): Promise<Map<string, Partial<Version>[]>> {
  const byItem = new Map<string, Partial<Version>[]>();
  const projection = versionProjection(itemProjection);
  if (!projection) return byItem;
  const fields = fieldsWithOwner(projection);
  const pipeline = [
    { $match: { _userItemDbId: { $in: itemIds } } },
    { $sort: { _userItemDbId: 1, _version: -1 } },
    { $limit: MAX_SHOWN_VERSIONS + 1 },
    ...(fields ? [{ $project: fields }] : []),
  ];
  const list = await onePage<OlderVersion>(versions.collection, pipeline, MAX_SHOWN_VERSIONS + 1);
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

/** The owner shows which item a version belongs to, even if the caller did not ask for it. */
function fieldsWithOwner(projection: Projection | 'all') {
  if (projection === 'all') return fieldsOf(undefined, HIDDEN);
  const others = projection.paths.filter((path) => path !== OWNER);
  return fieldsOf({ ...projection, paths: projection.kind === 'only' ? [...others, OWNER] : others }, HIDDEN);
}
