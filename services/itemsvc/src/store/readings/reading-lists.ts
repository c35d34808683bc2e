import type { Criteria } from '@dtplatform/contracts';
import { BSON, onePage, queryLimits, totalOf } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import type { Test } from '../../domain/query/expression.js';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { SortOrder } from '../../domain/query/sort-order.js';
import type { ReadingOwner, ReadingQuery, ReadingStore } from '../../domain/readings/ports.js';
import type { ShownReading } from '../../domain/readings/reading.js';
import { parseTimestamp } from '../../domain/readings/timestamp.js';
import { errors } from '../../errors.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { NO_FIELD, plainField, toFilter } from '../query/plain-filter.js';
import type { FieldFilter } from '../query/plain-filter.js';
import { fieldsOf } from '../query/stored-projection.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import { downSampled } from './down-sampled.js';
import { readingModels, retentionOf } from './reading.model.js';
import type { StoredReading } from './reading.model.js';
import { countReadings } from './reading-totals.js';
import { timeFilter } from './time-filter.js';

/** Telemetry items that a caller with rights on some may ask about at once. */
const MAX_ALLOWED_ITEMS = 10_000;
type ObjectId = InstanceType<typeof BSON.ObjectId>;

const HIDDEN = ['_itemId', '_versionId', '_until'];

/** Lists of readings. Each is one aggregation on one collection, within an index. */
export function createReadingLists({ mongo, totals }: { mongo: Mongo; totals: Totals }): Pick<ReadingStore, 'list'> {
  const relatedItems = mongo.model(relatedItemModel);

  async function allowedItems({ item, version }: ReadingOwner, criteria: Criteria[]): Promise<string[]> {
    const own = { [IN_ITEM]: item._id, [IN_VERSION]: version._id };
    const pipeline = [
      { $match: { $and: [own, { $or: criteria }] } },
      { $limit: MAX_ALLOWED_ITEMS + 1 },
      { $project: { _id: 1 } },
    ];
    const found = await relatedItems.collection.aggregate<{ _id: string }>(pipeline, queryLimits()).toArray();
    if (found.length > MAX_ALLOWED_ITEMS) throw errors.queryTooBroad();
    return found.map(({ _id }) => _id);
  }

  return {
    list: (owner, query, allowed) =>
      mapQueryErrors(async () => {
        const { where, paging } = query;
        const retention = retentionOf(owner.item);
        const { collection } = mongo.model(readingModels[retention.granularity]);
        const expiredAt = retention.expiredAt(Date.now());
        const conditions: Filter[] = [
          ...(expiredAt ? [timeFilter('$gt', expiredAt)] : []),
          ...(allowed === 'all' ? [] : [{ '_tsMetadata._telItemId': { $in: await allowedItems(owner, allowed) } }]),
          ...(where ? [toFilter(where, readingField)] : []),
        ];
        const own = { '_tsMetadata._versionId': owner.version._id };
        const matching = [{ $match: conditions.length > 0 ? { $and: [own, ...conditions] } : own }, ...sampling(query)];
        const page = [...matching, { $sort: sortOf(query) }, { $skip: paging.offset }, { $limit: paging.pageSize }];
        const project = query.downSampling ? undefined : fieldsOf(query.project);
        const found =
          paging.pageSize === 0
            ? []
            : await onePage<StoredReading>(
                collection,
                project ? [...page, { $project: project }] : page,
                paging.pageSize,
              );
        const isWhole = conditions.length === 0 && !query.downSampling;
        const count = async () => {
          if (isWhole) return countReadings(totals, owner.version._id);
          const [counted] = await onePage<{ total: number }>(collection, [...matching, { $count: 'total' }], 1);
          return counted?.total ?? 0;
        };
        return { list: found.map(show), total: await totalOf(paging, found.length, count) };
      }),
  };
}

const sampling = ({ downSampling, project }: ReadingQuery): object[] =>
  downSampling ? downSampled(downSampling, project) : [];

/** What only one of the joined readings has. */
const OF_A_STEP = ['_ts', '_tsMetadata._telItemId', '_tsMetadata._sourceId'];

/** By time, unless the caller sorts. */
function sortOf({ sort, downSampling }: ReadingQuery) {
  const wanted: SortOrder = sort.length > 0 ? sort : [['_ts', 1]];
  const order = withTieBreaker(wanted, downSampling ? OF_A_STEP : undefined);
  return new Map(order.map(([path, direction]) => [storedPath(path), direction]));
}

function storedPath(path: string): string {
  const [first, second] = path.split('.');
  return first === '_tsMetadata' && (second === undefined || HIDDEN.includes(second)) ? NO_FIELD : path;
}

/** Times may be written as in readings, and ids as they are shown. */
const readingField: FieldFilter = (path, tests) => {
  if (path === '_ts') return { $and: tests.map((test) => timeTest(withValues(test, timeOf))) };
  if (path === '_id')
    return plainField(
      path,
      tests.map((test) => withValues(test, idOf)),
    );
  return plainField(storedPath(path), tests);
};

const timeTest = (test: Test): Filter =>
  COMPARISONS.has(test.operator) && 'value' in test
    ? timeFilter(test.operator, test.value as Date | Date[])
    : plainField('_ts', [test]);

const COMPARISONS = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin']);

function withValues(test: Test, convert: (value: unknown) => unknown): Test {
  if (test.operator === '$not') return { ...test, tests: test.tests.map((one) => withValues(one, convert)) };
  if (!('value' in test) || !COMPARISONS.has(test.operator)) return test;
  return { ...test, value: Array.isArray(test.value) ? test.value.map(convert) : convert(test.value) };
}

function timeOf(value: unknown): Date {
  const time = typeof value === 'string' || typeof value === 'number' ? parseTimestamp(value) : undefined;
  if (!time) throw errors.invalidQuery({ message: '_ts is compared with times from 1970 to 2037.' });
  return time;
}

const idOf = (value: unknown): unknown =>
  typeof value === 'string' && /^[0-9a-f]{24}$/.test(value) ? new BSON.ObjectId(value) : value;

/** A stored reading, or what a projection leaves of it, as callers see it. */
function show({ _id, _ts, _tsMetadata, ...values }: Partial<StoredReading>): ShownReading {
  const source = _tsMetadata && Object.entries(_tsMetadata).filter(([name]) => !HIDDEN.includes(name));
  return {
    ...(_id !== undefined && { _id: (_id as ObjectId).toHexString() }),
    ...(_ts !== undefined && { _ts: _ts.toISOString() }),
    ...(source && { _tsMetadata: Object.fromEntries(source) }),
    ...values,
  };
}
