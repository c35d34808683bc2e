import { UsageRecount, UsageRecountQuery } from '@dtplatform/contracts';
import { ok, route, routes } from '@dtplatform/http';
import type { RouteTable } from '@dtplatform/http';
import { resource } from './resource.js';
import type { RecountUsage } from './usage-recount.js';

/** Recounted usage of a service, for comparison with metricsvc's totals. */
export const usage = resource({
  tags: { usage: 'The data of the service, for the metrics of the platform.' },
  routes: (parts: Parameters<typeof usageRoutes>[0]) => [usageRoutes(parts)],
});

/** `/usage`, for services that report usage. */
const usageRoutes = ({ recountUsage }: { recountUsage: RecountUsage }): RouteTable =>
  routes('/usage', [
    route.get('/', {
      operation: 'usage.recount',
      summary: 'Recount the contents of a namespace. For services of the platform.',
      callers: ['trusted'],
      query: UsageRecountQuery,
      responses: { 200: UsageRecount },
      handler: async ({ query }) => ok(await recountUsage(query)),
    }),
  ]);
