import type { Projection } from '../../domain/query/projection.js';
import type { AggregateFunction, DownSampling } from '../../domain/readings/down-sampling.js';

/** Fields that hold no numbers have no average, minimum and maximum. */
const NUMBER = { $cond: [{ $isNumber: '$v' }, '$v', null] };
/** `v` is a value, and `t` its time. */
const ACCUMULATORS: Record<AggregateFunction, object> = {
  avg: { $avg: NUMBER },
  min: { $min: NUMBER },
  max: { $max: NUMBER },
  last: { $top: { sortBy: { t: -1, id: -1 }, output: '$v' } },
  count: { $sum: 1 },
};
/** The others are for values of any type. */
const FOR_NUMBERS: AggregateFunction[] = ['avg', 'min', 'max'];
const ABOUT_THE_READING = ['_id', '_ts', '_tsMetadata'];

/**
 * Stages that join readings: one document for each telemetry item and step, with the values of each field joined. Only
 * numbers have an average, a minimum and a maximum.
 */
export function downSampled({ everyMs, functions }: DownSampling, project: Projection | undefined): object[] {
  const ms = { $toLong: '$_ts' };
  const step = { $toDate: { $subtract: [ms, { $mod: [ms, everyMs] }] } };
  const numbersOnly = functions.every((one) => FOR_NUMBERS.includes(one));
  const joined = Object.fromEntries(functions.map((one) => [one, ACCUMULATORS[one]]));
  const [only, ...more] = functions;
  const value = more.length === 0 ? `$${only!}` : Object.fromEntries(functions.map((one) => [one, `$${one}`]));
  return [
    // In a stage of its own, and under a name that no value has: MongoDB computes fields of the metadata before it reads the
    // values, which then would replace values of the same names.
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
