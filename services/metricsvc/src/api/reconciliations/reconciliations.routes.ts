import { ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { ShownReconciliation, showReconciliation } from '../../domain/reconciliations/reconciliation.js';
import { NewReconciliation, ReconciliationParams } from './reconciliations.schemas.js';

/** For operators of the platform. */
export const reconciliationRoutes = ({ reconciliations }: Deps) =>
  routes('/reconciliations', [
    route.post('/', {
      operation: 'reconciliations.create',
      summary: 'Request a comparison of metrics with what services hold, for operators of the platform.',
      callers: ['trusted'],
      body: NewReconciliation,
      replies: { 202: ShownReconciliation },
      show: showReconciliation,
      handler: async ({ body }) => ({ status: 202, body: await reconciliations.request(body._namespace) }),
    }),
    route.get('/:id', {
      operation: 'reconciliations.get',
      summary: 'Read a comparison of metrics with what services hold, for operators of the platform.',
      callers: ['trusted'],
      params: ReconciliationParams,
      replies: { 200: ShownReconciliation },
      show: showReconciliation,
      handler: async ({ params }) => ok(await reconciliations.get(params.id)),
    }),
  ]);
