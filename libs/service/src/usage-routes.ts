import { UsageRecount, UsageRecountQuery } from '@dtplatform/contracts';
import { ok, route, routes } from '@dtplatform/http';
import type { RouteTable } from '@dtplatform/http';
import type { RecountUsage } from './usage-recount.js';

/** `/usage` of a service that reports usage: what it holds, recounted (docs/adr/0078-reconciliation-of-usage.md). */
export const usageRoutes = ({ recountUsage }: { recountUsage: RecountUsage }): RouteTable =>
  routes('/usage', [
    route.get('/', {
      operation: 'usage.recount',
      summary: 'Recount what a namespace holds. For services of the platform.',
      callers: ['trusted'],
      query: UsageRecountQuery,
      replies: { 200: UsageRecount },
      handler: async ({ query }) => ok(await recountUsage(query)),
    }),
  ]);
