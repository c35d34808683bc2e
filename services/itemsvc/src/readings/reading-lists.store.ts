import type { Criteria, Listing } from '@dtplatform/contracts';
import { BSON, onePage, queryLimits, totalOf } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import { errors } from '../errors.js';
import type { Test } from '../query/expression.js';
import { fieldsOf, mapQueryErrors, NO_FIELD, plainField, toFilter } from '../query/filters.store.js';
import type { FieldFilter } from '../query/filters.store.js';
import { withTieBreaker } from '../query/parse-query.js';
import type { Projection, SortOrder } from '../query/parse-query.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import type { ReadingOwner, ReadingQuery } from './place-readings.js';
import { parseTimestamp } from './reading.js';
import type { AggregateFunction, DownSampling, ShownReading } from './reading.js';
import { countReadings, readingModels, retentionOf } from './readings.model.js';
import type { StoredReading } from './readings.model.js';

/** Readable telemetry items of a caller whose permission has criteria. */
const MAX_ALLOWED_ITEMS = 10_000;
type ObjectId = InstanceType<typeof BSON.ObjectId>;

const HIDDEN = ['_itemId', '_versionId', '_until'];

/** Each list is one aggregation on one collection, within an index. */
export function createReadingLists({ mongo, totals }: { mongo: Mongo; totals: Totals }) {
  async function allowedItems({ item, version }: ReadingOwner, criteria: Criteria[]): Promise<string[]> {
    const own = { [IN_ITEM]: item._id, [IN_VERSION]: version._id };
    const pipeline = [
      { $match: { $and: [own, { $or: criteria }] } },
      { $limit: MAX_ALLOWED_ITEMS + 1 },
      { $project: { _id: 1 } },
    ];
    const found = await mongo
      .collection(relatedItemModel)
      .aggregate<{ _id: string }>(pipeline, queryLimits())
      .toArray();
    if (found.length > MAX_ALLOWED_ITEMS) throw errors.queryTooBroad();
    return found.map(({ _id }) => _id);
  }

  return {
    /** @param allowed which telemetry items: all, or those that match one of the criteria */
    list: (owner: ReadingOwner, query: ReadingQuery, allowed: 'all' | Criteria[]): Promise<Listing<ShownReading>> =>
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

/** Fields that are unique to one of the joined readings. */
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

/** Converts times and ids from the form callers use to the stored one. */
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
  if (!time) throw errors.invalidQuery({ message: '_ts must be compared with times from 1970 to 2037.' });
  return time;
}

const idOf = (value: unknown): unknown =>
  typeof value === 'string' && /^[0-9a-f]{24}$/.test(value) ? new BSON.ObjectId(value) : value;

function show({ _id, _ts, _tsMetadata, ...values }: Partial<StoredReading>): ShownReading {
  const source = _tsMetadata && Object.entries(_tsMetadata).filter(([name]) => !HIDDEN.includes(name));
  return {
    ...(_id !== undefined && { _id: (_id as ObjectId).toHexString() }),
    ...(_ts !== undefined && { _ts: _ts.toISOString() }),
    ...(source && { _tsMetadata: Object.fromEntries(source) }),
    ...values,
  };
}

/** The longest span of a bucket of any granularity. */
const MAX_SPAN_MS = 30 * 86_400_000;
const NEGATIONS: Partial<Record<string, string>> = { $eq: '$ne', $gt: '$lte', $gte: '$lt', $in: '$nin' };

/**
 * Compares the time of readings. MongoDB prunes buckets by their ids, which start with a time, and finds nothing if a
 * lower bound minus a bucket's span is before 1970. Negating the opposite comparison avoids that.
 */
export function timeFilter(operator: string, value: Date | readonly Date[]): Filter {
  const isEarly = [value].flat().some((time) => time.getTime() < MAX_SPAN_MS);
  const negation = isEarly ? NEGATIONS[operator] : undefined;
  return { _ts: negation ? { $not: { [negation]: value } } : { [operator]: value } };
}

/** Non-numeric values have no average, minimum or maximum. */
const NUMBER = { $cond: [{ $isNumber: '$v' }, '$v', null] };
/** `v` is a value, and `t` its time. */
const ACCUMULATORS: Record<AggregateFunction, object> = {
  avg: { $avg: NUMBER },
  min: { $min: NUMBER },
  max: { $max: NUMBER },
  last: { $top: { sortBy: { t: -1, id: -1 }, output: '$v' } },
  count: { $sum: 1 },
};
/** The other functions accept values of any type. */
const FOR_NUMBERS: AggregateFunction[] = ['avg', 'min', 'max'];
const ABOUT_THE_READING = ['_id', '_ts', '_tsMetadata'];

/**
 * Stages that join readings into one document per telemetry item and step, with each field aggregated. Only numbers
 * have an average, a minimum and a maximum.
 */
function downSampled({ everyMs, functions }: DownSampling, project: Projection | undefined): object[] {
  const ms = { $toLong: '$_ts' };
  const step = { $toDate: { $subtract: [ms, { $mod: [ms, everyMs] }] } };
  const numbersOnly = functions.every((one) => FOR_NUMBERS.includes(one));
  const joined = Object.fromEntries(functions.map((one) => [one, ACCUMULATORS[one]]));
  const [only, ...more] = functions;
  const value = more.length === 0 ? `$${only!}` : Object.fromEntries(functions.map((one) => [one, `$${one}`]));
  return [
    // A separate stage and a name that no value has: MongoDB computes metadata fields before it reads the values, which
    // would then overwrite values of the same names.
    { $project: { _ts: 1, _tsMetadata: 1, _id: { id: '$_id', values: { $objectToArray: '$$ROOT' } } } },
    {
      $project: {
        _id: 0,
        id: '$_id.id',
        t: '$_ts',
        step,
        item: '$_tsMetadata._telItemId',
        source: '$_tsMetadata._sourceId',
        field: { $filter: { input: '$_id.values', as: 'one', cond: isWanted(project) } },
      },
    },
    { $unwind: '$field' },
    { $project: { id: 1, t: 1, step: 1, item: 1, source: 1, k: '$field.k', v: '$field.v' } },
    ...(numbersOnly ? [{ $match: { v: { $type: 'number' } } }] : []),
    { $group: { _id: { step: '$step', item: '$item', source: '$source', k: '$k' }, ...joined } },
    { $sort: { '_id.k': 1 } },
    {
      $group: {
        _id: { step: '$_id.step', item: '$_id.item', source: '$_id.source' },
        fields: { $push: { k: '$_id.k', v: value } },
      },
    },
    {
      $replaceWith: {
        $mergeObjects: [
          { $arrayToObject: '$fields' },
          { _ts: '$_id.step', _tsMetadata: { _sourceId: '$_id.source', _telItemId: '$_id.item' } },
        ],
      },
    },
  ];
}

function isWanted(project: Projection | undefined): object {
  const isValue = { $not: { $in: ['$$one.k', ABOUT_THE_READING] } };
  if (!project) return isValue;
  const isNamed = { $in: ['$$one.k', project.paths] };
  return { $and: [isValue, project.kind === 'only' ? isNamed : { $not: isNamed }] };
}
