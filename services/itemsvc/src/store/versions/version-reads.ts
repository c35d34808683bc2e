import { onePage, totalOf } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Projection } from '../../domain/query/projection.js';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { SortOrder } from '../../domain/query/sort-order.js';
import type { VersionStore } from '../../domain/versions/ports.js';
import type { Version, VersionChoice } from '../../domain/versions/version.js';
import { errors } from '../../errors.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { plainField, toFilter } from '../query/plain-filter.js';
import { fieldsOf, versionProjection } from '../query/stored-projection.js';
import { MAX_SHOWN_VERSIONS } from './older-versions.js';
import { versionModel } from './version.model.js';

const NEWEST_FIRST: SortOrder = [['_version', -1]];

/** Reads of versions. A list joins the tip, which is in its item, with the older ones. */
export function createVersionReads(mongo: Mongo): Pick<VersionStore, 'list' | 'choose' | 'findOlder'> {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  /** @throws 400 when it takes too long */
  const read = <T extends object = Partial<Version>>(pipeline: object[], maxDocuments: number): Promise<T[]> =>
    mapQueryErrors(() => onePage<T>(items.collection, pipeline, maxDocuments));

  return {
    async list(item, { where, sort, project, paging }) {
      const matching = [...allVersionsOf(item._id), ...(where ? [{ $match: toFilter(where, plainField) }] : [])];
      const page = [
        { $sort: new Map(sort.length > 0 ? withTieBreaker(sort) : NEWEST_FIRST) },
        { $skip: paging.offset },
        { $limit: paging.pageSize },
        ...projecting(project),
      ];
      const countMatches = async () =>
        (await read<{ total: number }>([...matching, { $count: 'total' }], 1))[0]?.total ?? 0;
      // To the database a limit of 0 is an error.
      const list = paging.pageSize === 0 ? [] : await read([...matching, ...page], paging.pageSize);
      const count = async () => (where ? countMatches() : item._versionsCount);
      return { list, total: await totalOf(paging, list.length, count) };
    },

    async choose(itemId, choice, project) {
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

    async findOlder(itemId, versionId) {
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
