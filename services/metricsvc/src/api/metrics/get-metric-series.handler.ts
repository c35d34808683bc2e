import { ok, parseNamed } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { matrixParameters } from './matrix-parameters.js';
import { SeriesRequest } from './metrics.schemas.js';
import type { MetricParams, SeriesQuery } from './metrics.schemas.js';

/** GET /metrics/{name}/by-dimension;{dimensions}?{period}: one point per hour or day (docs/contract.md, "Metrics"). */
export const getMetricSeries =
  ({ metrics }: Deps): Handler<{ params: MetricParams; query: SeriesQuery }> =>
  async ({ params, query, access, req, res }) => {
    const {
      namespace,
      nsfilter: _nsfilter,
      'period.from': fromMs,
      'period.to': toMs,
      'period.granularity': granularity,
      ...dimensions
    } = parseNamed({ res }, SeriesRequest, { ...query, ...matrixParameters(req.url ?? '') }, 'query');
    const period = { fromMs, toMs, granularity };
    return ok(await metrics.series({ metric: params.name, namespace, dimensions }, period, access));
  };
