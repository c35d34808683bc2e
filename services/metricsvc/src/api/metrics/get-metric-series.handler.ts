import { ok, parseInput } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { matrixParameters } from './matrix-parameters.js';
import { SeriesRequest } from './metrics.schemas.js';
import type { MetricParams, SeriesQuery } from './metrics.schemas.js';

/** GET /metrics/{name}/by-dimension;{dimensions}?{period}: one point for each hour or day (contract: Metrics). */
export const getMetricSeries =
  ({ metrics }: Deps): Handler<{ params: MetricParams; query: SeriesQuery }> =>
  async ({ params, query, access, req }) => {
    const request = parseInput(SeriesRequest, { ...query, ...matrixParameters(req.url ?? '') }, 'query');
    const { namespace, file_id, collection, item, version } = request;
    const period = {
      fromMs: request['period.from'],
      toMs: request['period.to'],
      granularity: request['period.granularity'],
    };
    const dimensions = { file_id, collection, item, version };
    return ok(await metrics.series({ metric: params.name, namespace, dimensions }, period, access));
  };
