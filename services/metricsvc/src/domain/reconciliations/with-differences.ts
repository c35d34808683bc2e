import { METRICS } from '../metrics/metric-catalogue.js';
import type { SeriesDifference } from './compare.js';
import { MAX_STORED_DIFFERENCES } from './reconciliation.js';
import type { Difference, Reconciliation } from './reconciliation.js';

/** A reconciliation that has found more differences. */
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
