import { errors } from '../errors.js';
import type { Item, Version } from '../domain/items/item.js';
import type { VersionChoice } from '../domain/items/ports.js';
import type { Found, ListQuery } from '../domain/list-query.js';
import { plainField, toFilter } from '../domain/query/plain-filter.js';
import type { Filter } from '../domain/query/plain-filter.js';
import type { Projection } from '../domain/query/projection.js';
import { withTieBreaker } from '../domain/query/sort-order.js';
import type { SortOrder } from '../domain/query/sort-order.js';
import { ITEM_VERSIONS } from './collections.js';
import type { Collections } from './collections.js';
import { MAX_SHOWN_VERSIONS } from './older-versions.js';
import { asking, MAX_TIME_MS } from './query-errors.js';
import { fieldsOf, versionProjection } from './stored-projection.js';
import { totalFrom } from './total.js';

const NEWEST_FIRST: SortOrder = [['_version', -1]];
const options = { maxTimeMS: MAX_TIME_MS };

/** Reads of the versions of one item: its tip and, from their own collection, the older ones. */
export function createVersionReads({ items, versions }: Collections) {
  const read = (pipeline: object[]) => items.aggregate<Partial<Version>>(pipeline, options).toArray();

  async function countMatches(matching: object[]): Promise<number> {
    const [counted] = await items.aggregate<{ total: number }>([...matching, { $count: 'total' }], options).toArray();
    return counted?.total ?? 0;
  }

  return {
    async listVersions(item: Item, { where, sort, project, paging }: ListQuery): Promise<Found<Version>> {
      const matching = [...allVersionsOf(item._id), ...(where ? [{ $match: toFilter(where, plainField) }] : [])];
      const page = [
        { $sort: new Map(sort.length > 0 ? withTieBreaker(sort) : NEWEST_FIRST) },
        { $skip: paging.offset },
        { $limit: paging.pageSize },
        ...projecting(project),
      ];
      return asking(async () => {
        // To the database a limit of 0 is an error.
        const list = paging.pageSize === 0 ? [] : await read([...matching, ...page]);
        const count = async () => (where ? countMatches(matching) : item._versionsCount);
        return { list, total: await totalFrom(paging, list.length, count) };
      });
    },

    async versionsOf(
      itemId: string,
      choice: VersionChoice,
      project?: Projection,
    ): Promise<Partial<Version>[] | undefined> {
      const projection = versionProjection(project);
      if (!projection) return undefined;
      const list = await read([
        ...allVersionsOf(itemId),
        { $match: filterOf(choice) },
        { $sort: new Map(NEWEST_FIRST) },
        { $limit: MAX_SHOWN_VERSIONS + 1 },
        ...projecting(projection === 'all' ? undefined : projection),
      ]);
      if (list.length > MAX_SHOWN_VERSIONS) throw errors.queryTooBroad();
      return list;
    },

    async findOlderVersion(itemId: string, versionId: string): Promise<Version | undefined> {
      const filter = { _id: versionId, _userItemDbId: itemId };
      return (await versions.findOne(filter, { projection: { _namespaces: 0 } })) ?? undefined;
    },
  };
}

const allVersionsOf = (itemId: string) => [
  { $match: { _id: itemId } },
  { $replaceRoot: { newRoot: '$_tip' } },
  {
    $unionWith: {
      coll: ITEM_VERSIONS,
      pipeline: [{ $match: { _userItemDbId: itemId } }, { $project: { _namespaces: 0 } }],
    },
  },
];

const filterOf = (choice: VersionChoice): Filter =>
  choice === 'all' ? {} : { $or: [{ _version: { $in: choice.numbers } }, { _id: { $in: choice.ids } }] };

function projecting(projection: Projection | undefined): object[] {
  const fields = fieldsOf(projection);
  return fields ? [{ $project: fields }] : [];
}
