import { z } from 'zod';
import { Namespace, ResourceId } from '@dtplatform/contracts';
import { METRIC_NAMES } from '../metrics/metric-catalogue.js';

/** How many differences a reconciliation stores; all are counted. */
export const MAX_STORED_DIFFERENCES = 100;

/** A metric that is not what its service recounts. */
export const Difference = z.object({
  _namespace: z.string(),
  _metric: z.enum(METRIC_NAMES),
  _dimensions: z.record(z.string(), z.string()),
  /** What metricsvc has added up. */
  _counted: z.number(),
  /** What the service holds. */
  _recounted: z.number(),
});
export type Difference = z.infer<typeof Difference>;

/** A comparison of metrics with what services hold, in all namespaces or in one. */
export const Reconciliation = z.object({
  _id: ResourceId,
  _namespace: Namespace.optional(),
  _status: z.enum(['QUEUED', 'RUNNING', 'COMPLETED']),
  _createdAt: z.date(),
  _finishedAt: z.date().optional(),
  /** How many namespaces were compared. */
  _namespaces: z.number(),
  /** How many series. */
  _compared: z.number(),
  /** How many series and ranges changed so often, or were so large, that they could not be compared. */
  _unsettled: z.number(),
  /** How many series differed, by metric. */
  _differing: z.record(z.string(), z.number()),
  /** The first of them. */
  _differences: z.array(Difference),
  /** Whether they were corrected. */
  _isCorrecting: z.boolean(),
  internal: z.object({
    /** Begins not before this time. */
    dueAt: z.date(),
    isPeriodic: z.boolean(),
    /** The last namespace that was compared. */
    after: z.string(),
    /** How often the namespace that follows could not be compared. */
    failures: z.number(),
  }),
});
export type Reconciliation = z.infer<typeof Reconciliation>;

const Time = z.iso.datetime();
export const ShownReconciliation = Reconciliation.omit({ internal: true }).extend({
  _createdAt: Time,
  _finishedAt: Time.optional(),
});

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
