import { z } from 'zod';
import { Namespace, ResourceId } from '@dtplatform/contracts';
import { ok, route, routes } from '@dtplatform/http';
import { ShownReconciliation, showReconciliation } from './reconciliation.js';
import type { Reconciliations } from './reconciliations.js';

const ReconciliationParams = z.object({ id: ResourceId.describe('The id of the reconciliation.') });
const NewReconciliation = z
  .object({ _namespace: Namespace.optional().describe('The namespace to compare; all by default.') })
  .meta({ id: 'NewReconciliation', description: 'The namespaces to compare.' });

/** For operators. */
export const reconciliationRoutes = ({ reconciliations }: { reconciliations: Reconciliations }) =>
  routes('/reconciliations', [
    route.post('/', {
      operation: 'reconciliations.create',
      summary: 'Request a comparison of metrics with the data of the services. For operators of the platform.',
      callers: ['trusted'],
      body: NewReconciliation,
      responses: { 202: ShownReconciliation },
      show: showReconciliation,
      handler: async ({ body }) => ({ status: 202, body: await reconciliations.request(body._namespace) }),
    }),
    route.get('/:id', {
      operation: 'reconciliations.get',
      summary: 'Read a comparison of metrics with the data of the services. For operators of the platform.',
      callers: ['trusted'],
      params: ReconciliationParams,
      responses: { 200: ShownReconciliation },
      show: showReconciliation,
      handler: async ({ params }) => ok(await reconciliations.get(params.id)),
    }),
  ]);
