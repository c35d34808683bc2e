import { newId, onePage, totalOf, updateIfMatch } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import { versionUsage } from '../../domain/nameduseritems/usage.js';
import type { Projection } from '../../domain/query/projection.js';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { SortOrder } from '../../domain/query/sort-order.js';
import type { VersionStore } from '../../domain/versions/ports.js';
import { newVersion } from '../../domain/versions/version.js';
import type { Version, VersionChoice } from '../../domain/versions/version.js';
import { errors } from '../../errors.js';
import { bytesOfVersion, checkSize } from '../nameduseritems/holdings.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { touched } from '../nameduseritems/item-writes.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { plainField, toFilter } from '../query/plain-filter.js';
import { fieldsOf, versionProjection } from '../query/stored-projection.js';
import { createUsageOutbox } from '../usage-outbox.js';
import { MAX_SHOWN_VERSIONS } from './older-versions.js';
import { versionModel } from './version.model.js';

const NEWEST_FIRST: SortOrder = [['_version', -1]];

/** Versions of items in MongoDB: the tip inside its item, the older ones in their own collection. */
export function createVersionStore({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }): VersionStore {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  const usageOutbox = createUsageOutbox(outbox);
  const read = <T extends object = Partial<Version>>(pipeline: object[], maxDocuments: number): Promise<T[]> =>
    onePage<T>(items.collection, pipeline, maxDocuments);

  return {
    add(itemId, wanted, writing, precondition) {
      const versionId = newId();
      return mongo.transaction(async (session) => {
        const item = await items.findById(itemId).session(session).lean();
        if (!item) return undefined;
        const tip = newVersion(wanted, { id: versionId, itemId, number: item._nextVersion }, writing);
        checkSize(tip);
        const $set = { _tip: tip, _tipId: tip._id, _tipVersion: tip._version, _nextVersion: tip._version + 1 };
        const update = { $set: { ...$set, ...touched(writing) }, $inc: { _versionsCount: 1 } };
        await updateIfMatch(items, itemId, update, { precondition, session });
        await versions.insertMany([{ ...item._tip, _isTip: false, _namespaces: item._namespaces }], { session });
        const usage = versionUsage(item, tip, bytesOfVersion(tip));
        await usageOutbox.record(
          session,
          item._namespaces.map((namespace) => ({ namespace, usage })),
        );
        return tip;
      });
    },

    list(item, { where, sort, project, paging }) {
      const matching = [...allVersionsOf(item._id), ...(where ? [{ $match: toFilter(where, plainField) }] : [])];
      const page = [
        { $sort: new Map(sort.length > 0 ? withTieBreaker(sort) : NEWEST_FIRST) },
        { $skip: paging.offset },
        { $limit: paging.pageSize },
        ...projecting(project),
      ];
      const countMatches = async () =>
        (await read<{ total: number }>([...matching, { $count: 'total' }], 1))[0]?.total ?? 0;
      return mapQueryErrors(async () => {
        // To the database a limit of 0 is an error.
        const list = paging.pageSize === 0 ? [] : await read([...matching, ...page], paging.pageSize);
        const count = async () => (where ? countMatches() : item._versionsCount);
        return { list, total: await totalOf(paging, list.length, count) };
      });
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
