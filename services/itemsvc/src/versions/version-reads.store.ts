import type { Listing } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { oneOf, onePage, queryLimits, totalOf } from '@dtplatform/mongo';
import type { ClientSession, Filter, Model, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import type { Item } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { fieldsOf, keeps, mapQueryErrors, plainField, toFilter, versionProjection } from '../query/filters.store.js';
import type { OlderMatch } from '../query/filters.store.js';
import { withTieBreaker } from '../query/parse-query.js';
import type { ListQuery, Projection, SortOrder } from '../query/parse-query.js';
import type { OlderVersion, Version, VersionChoice } from './version.js';
import { versionModel } from './version.model.js';

const NEWEST_FIRST: SortOrder = [['_version', -1]];

/** A list combines the tip, stored in the item, with the older versions. */
export function createVersionReads(mongo: Mongo) {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  /** @throws 400 if it takes too long */
  const read = <T extends object = Partial<Version>>(pipeline: object[], maxDocuments: number): Promise<T[]> =>
    mapQueryErrors(() => onePage<T>(items.collection, pipeline, maxDocuments));

  return {
    async list(item: Item, { where, sort, project, paging }: ListQuery): Promise<Listing<Partial<Version>>> {
      const matching = [...allVersionsOf(item._id), ...(where ? [{ $match: toFilter(where, plainField) }] : [])];
      const page = [
        { $sort: new Map(sort.length > 0 ? withTieBreaker(sort) : NEWEST_FIRST) },
        { $skip: paging.offset },
        { $limit: paging.pageSize },
        ...projecting(project),
      ];
      const countMatches = async () =>
        (await read<{ total: number }>([...matching, { $count: 'total' }], 1))[0]?.total ?? 0;
      // MongoDB rejects a limit of 0.
      const list = paging.pageSize === 0 ? [] : await read([...matching, ...page], paging.pageSize);
      const count = async () => (where ? countMatches() : item._versionsCount);
      return { list, total: await totalOf(paging, list.length, count) };
    },

    /** The chosen versions, newest first; undefined if the item's projection excludes versions. */
    async choose(itemId: string, choice: VersionChoice, project?: Projection): Promise<Partial<Version>[] | undefined> {
      const projection = versionProjection(project);
      if (!projection) return undefined;
      const pipeline = [
        ...allVersionsOf(itemId),
        { $match: filterOf(choice) },
        { $sort: new Map(NEWEST_FIRST) },
        { $limit: MAX_SHOWN_VERSIONS + 1 },
        ...projecting(projection === 'all' ? undefined : projection),
      ];
      const list = await read(pipeline, MAX_SHOWN_VERSIONS + 1);
      if (list.length > MAX_SHOWN_VERSIONS) throw errors.queryTooBroad();
      return list;
    },

    async findOlder(itemId: string, versionId: string): Promise<Version | undefined> {
      const own = { $match: { _id: versionId, _userItemDbId: itemId } };
      const found = await onePage<Version>(versions.collection, [own, { $project: { _namespaces: 0 } }], 1);
      return found[0];
    },
  };
}

const allVersionsOf = (itemId: string) => [
  { $match: { _id: itemId } },
  { $replaceRoot: { newRoot: '$_tip' } },
  {
    $unionWith: {
      coll: versionModel.collection,
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

/** Older versions that a query may match, or show. */
const MAX_MATCHES = 10_000;
const MAX_SHOWN_VERSIONS = 5_000;

/** Finds the items with matching older versions, and fills their ids into the filters. */
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

/** Older versions by item, newest first, with the fields that the items' projection leaves. */
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

/** The owner maps versions to items, even if the caller did not select it. */
function fieldsWithOwner(projection: Projection | 'all') {
  if (projection === 'all') return fieldsOf(undefined, HIDDEN);
  const others = projection.paths.filter((path) => path !== OWNER);
  return fieldsOf({ ...projection, paths: projection.kind === 'only' ? [...others, OWNER] : others }, HIDDEN);
}

interface Owner {
  item: Pick<Item, '_id'>;
  version: Pick<Version, '_id'>;
}

/**
 * The namespaces of items, by id. For transactions that write below versions: after `touchParents` on the items, items
 * and versions exist until the commit.
 * @throws 404 if an item or a version is gone
 */
export async function requireVersions(
  mongo: Mongo,
  owners: Owner[],
  session: ClientSession,
): Promise<Map<string, string[]>> {
  const ids = [...new Set(owners.map(({ item }) => item._id))];
  const found = await mongo
    .model(itemModel)
    .find({ _id: oneOf(ids) }, { _namespaces: 1, _tipId: 1 })
    .session(session)
    .lean();
  const items = new Map(found.map((item) => [item._id, item]));
  for (const { item, version } of new Map(owners.map((owner) => [owner.version._id, owner])).values()) {
    const current = items.get(item._id);
    const isThere = current && (current._tipId === version._id || (await isOlder(mongo, item, version, session)));
    if (!isThere) throw commonErrors.notFound();
  }
  return new Map(found.map(({ _id, _namespaces }) => [_id, _namespaces]));
}

const isOlder = (mongo: Mongo, item: Owner['item'], { _id }: Owner['version'], session: ClientSession) =>
  mongo.model(versionModel).exists({ _id, _userItemDbId: item._id }).session(session);
