import { BSON, onePage } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import type { Expression } from '../query/expression.js';
import { fieldsOf, mapQueryErrors, plainField, toFilter } from '../query/filters.store.js';
import { withTieBreaker } from '../query/parse-query.js';
import type { Projection, SortOrder } from '../query/parse-query.js';
import { PLATFORM } from '../query/paths.js';
import type { Owner, Readable } from '../relateditems/collections.js';
import type { RelatedItem, Relations } from '../relateditems/related-item.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import { relatedItemQuery } from '../relateditems/related-items.store.js';
import type { Match, Wanted } from './search-query.js';

/** Related items per page of items, and distinct values per field. */
const MAX_MATCHES = 10_000;
const MAX_VALUES = 1_000;

const RELATED = '_related';

export function createSearchStore(mongo: Mongo) {
  const { collection } = mongo.model(relatedItemModel);

  /** @throws 400 if it takes too long */
  const readPage = <T extends object>(pipeline: object[], maxDocuments: number): Promise<T[]> =>
    mapQueryErrors(() => onePage<T>(collection, pipeline, maxDocuments));

  /** @throws 400 beyond the limit */
  async function readUpTo<T extends object>(limit: number, pipeline: object[]): Promise<T[]> {
    const found = await readPage<T>([...pipeline, { $limit: limit + 1 }], limit + 1);
    if (found.length > limit) throw errors.searchTooBroad();
    return found;
  }
  const findMatches = (conditions: Filter[], sort: SortOrder, more: object = {}) =>
    readUpTo<Match>(MAX_MATCHES, [
      { $match: { $and: conditions } },
      { $sort: new Map(withTieBreaker(sort)) },
      { $project: { itemId: `$${IN_ITEM}`, ...more } },
    ]);

  return {
    /** The `_related` fields of items of one version, by id. */
    async relationsOf({ item, version }: Owner, ids: string[]): Promise<Map<string, Relations>> {
      const own = { _id: { $in: ids }, [IN_ITEM]: item._id, [IN_VERSION]: version._id, [RELATED]: { $exists: true } };
      const pipeline = [{ $match: own }, { $project: { [RELATED]: 1 } }];
      const found = await readPage<{ _id: string; _related: Relations }>(pipeline, ids.length);
      return new Map(found.map(({ _id, _related }) => [_id, _related]));
    },

    /** The given items that are in the collections. @throws 400 if there are too many */
    async findNamed(ids: string[], collections: Readable[], { where, sort }: Wanted): Promise<Match[]> {
      if (ids.length > MAX_MATCHES) throw errors.searchTooBroad();
      return findMatches([{ _id: { $in: ids } }, inAny(collections), ...asked(where)], sort);
    },

    /**
     * Items of the collections that name any of the given items of one collection. @throws 400 if there are too many
     */
    findNaming(
      ids: string[],
      collectionId: string,
      collections: Readable[],
      { where, sort }: Wanted,
    ): Promise<Match[]> {
      const link = { _relatedUserItemDbId: collectionId, _relatedToIds: { $in: ids } };
      const conditions = [
        inAny(collections),
        // Redundant, but needed to use the partial index.
        { [RELATED]: { $exists: true } },
        { [`${RELATED}._relatedToIds`]: { $in: ids } },
        { [RELATED]: { $elemMatch: link } },
        ...asked(where),
      ];
      return findMatches(conditions, sort, { _names: namedOf(ids, collectionId) });
    },

    async read(ids: string[], project: Projection | undefined): Promise<Map<string, Partial<RelatedItem>>> {
      if (ids.length === 0) return new Map();
      const fields = fieldsOf(project && { ...project, withId: true }, [PLATFORM]);
      const pipeline = [{ $match: { _id: { $in: ids } } }, ...(fields ? [{ $project: fields }] : [])];
      const found = await readPage<RelatedItem>(pipeline, ids.length);
      return new Map(found.map(({ _id, ...item }) => [_id, project?.withId === false ? item : { _id, ...item }]));
    },

    /** Stored size. */
    bytesOf: (items: object[]): number => items.reduce((sum, item) => sum + BSON.calculateObjectSize(item), 0),

    /** The sorted distinct values of a field. @throws 400 if there are too many */
    async distinct(readable: Readable, where: Expression | undefined, field: string): Promise<unknown[]> {
      const found = await readUpTo<{ _id: unknown }>(MAX_VALUES, [
        { $match: (await relatedItemQuery(mongo, readable, where)).filter },
        { $project: { _id: 0, value: `$${field}` } },
        { $unwind: { path: '$value', preserveNullAndEmptyArrays: true } },
        { $match: { value: { $exists: true } } },
        { $group: { _id: '$value' } },
        { $sort: { _id: 1 } },
      ]);
      return found.map(({ _id }) => _id);
    },
  };
}

export type SearchStore = ReturnType<typeof createSearchStore>;

const asked = (where: Parameters<typeof toFilter>[0] | undefined): Filter[] =>
  where ? [toFilter(where, plainField)] : [];

/** Items of any of these versions that are readable there. */
const inAny = (collections: Readable[]): Filter => ({
  $or: collections.map(({ owner: { item, version }, allowed }) => {
    const own = { [IN_ITEM]: item._id, [IN_VERSION]: version._id };
    return allowed === 'all' ? own : { $and: [own, { $or: allowed }] };
  }),
});

/** The given items of a collection that an item names. */
const namedOf = (ids: string[], collectionId: string) => ({
  $setIntersection: [
    ids,
    {
      $reduce: {
        input: { $filter: { input: `$${RELATED}`, cond: { $eq: ['$$this._relatedUserItemDbId', collectionId] } } },
        initialValue: [],
        in: { $concatArrays: ['$$value', '$$this._relatedToIds'] },
      },
    },
  ],
});
