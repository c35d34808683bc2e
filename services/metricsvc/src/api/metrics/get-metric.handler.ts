import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { MetricParams, ValueQuery } from './metrics.schemas.js';

/** GET /metrics/{name}?{dimensions}: the value now, as one point (contract: Metrics). */
export const getMetric =
  ({ metrics }: Deps): Handler<{ params: MetricParams; query: ValueQuery }> =>
  async ({ params, query, access }) => {
    const { namespace, nsfilter: _nsfilter, ...dimensions } = query;
    return ok(await metrics.value({ metric: params.name, namespace, dimensions }, access));
  };
