import { z } from 'zod';
import { Namespace, ResourceId } from '@dtplatform/contracts';
import { METRIC_NAMES, METRICS } from '../metrics/metric-catalogue.js';
import type { SeriesDifference } from './compare.js';

/** Stored differences; all are counted. */
const MAX_STORED_DIFFERENCES = 100;

const Difference = z.object({
  _namespace: z.string().describe('The namespace of the metric.'),
  _metric: z.enum(METRIC_NAMES).describe('The name of the metric.'),
  _dimensions: z.record(z.string(), z.string()).describe('The dimensions of the series; none for the whole namespace.'),
  _counted: z.number().describe('The value stored by metricsvc.'),
  _recounted: z.number().describe('The value according to the data of the service.'),
});
type Difference = z.infer<typeof Difference>;

/** A comparison of metrics with what the services store, in one or all namespaces. */
export const Reconciliation = z.object({
  _id: ResourceId.describe('The id of the reconciliation.'),
  _namespace: Namespace.optional().describe('The namespace compared; absent for all.'),
  _status: z.enum(['QUEUED', 'RUNNING', 'COMPLETED']).describe('The status of the comparison.'),
  _createdAt: z.date(),
  _finishedAt: z.date().optional(),
  _namespaces: z.int().describe('The number of namespaces compared.'),
  _compared: z.int().describe('The number of series compared.'),
  _unsettled: z
    .int()
    .describe(
      'The number of series and ranges that could not be compared because they were too large or changed too often.',
    ),
  _differing: z.record(z.string(), z.int()).describe('The number of series that differed, by metric.'),
  _differences: z.array(Difference).describe(`The first ${MAX_STORED_DIFFERENCES} series that differed.`),
  _isCorrecting: z.boolean().describe('Whether differing series are corrected; false until it runs.'),
  internal: z.object({
    /** The earliest start. */
    dueAt: z.date(),
    isPeriodic: z.boolean(),
    /** The last namespace that was compared. */
    after: z.string(),
    /** Failed attempts of the next namespace. */
    failures: z.number(),
  }),
});
export type Reconciliation = z.infer<typeof Reconciliation>;

const Time = z.iso.datetime();
export const ShownReconciliation = Reconciliation.omit({ internal: true })
  .extend({
    _createdAt: Time.describe('When it was requested or planned, in ISO 8601 in UTC.'),
    _finishedAt: Time.optional().describe('When it ended, in ISO 8601 in UTC; absent until then.'),
  })
  .meta({ id: 'Reconciliation', description: 'A comparison of metrics with the data of the services.' });

export const showReconciliation = ({
  internal: _internal,
  _createdAt,
  _finishedAt,
  ...shown
}: Reconciliation): z.infer<typeof ShownReconciliation> => ({
  ...shown,
  _createdAt: _createdAt.toISOString(),
  ...(_finishedAt && { _finishedAt: _finishedAt.toISOString() }),
});

interface Wanted {
  id: string;
  namespace?: string | undefined;
  dueAt: Date;
  isPeriodic: boolean;
}

export const newReconciliation = ({ id, namespace, dueAt, isPeriodic }: Wanted): Reconciliation => ({
  _id: id,
  ...(namespace !== undefined && { _namespace: namespace }),
  _status: 'QUEUED',
  _createdAt: new Date(),
  _namespaces: 0,
  _compared: 0,
  _unsettled: 0,
  _differing: {},
  _differences: [],
  _isCorrecting: false,
  internal: { dueAt, isPeriodic, after: '', failures: 0 },
});

export function withDifferences(one: Reconciliation, differences: SeriesDifference[]): Reconciliation {
  const _differing = { ...one._differing };
  for (const { series } of differences) _differing[series.metric] = (_differing[series.metric] ?? 0) + 1;
  const stored = differences.slice(0, MAX_STORED_DIFFERENCES - one._differences.length);
  return { ...one, _differing, _differences: [...one._differences, ...stored.map(shown)] };
}

const shown = ({ series: { namespace, metric, values }, counted, recounted }: SeriesDifference): Difference => ({
  _namespace: namespace,
  _metric: metric,
  _dimensions: Object.fromEntries(values.map((value, index) => [METRICS[metric][index]!, value])),
  _counted: counted,
  _recounted: recounted,
});
