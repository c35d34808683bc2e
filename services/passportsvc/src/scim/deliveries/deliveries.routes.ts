import { ok, okPage, pagingOf, revision, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { CALLERS, DeliveryPage, DeliveryParams, ListDeliveriesQuery } from '../servers/registration.http.js';
import type { Deliveries } from './deliveries.js';
import { showDelivery, ShownDelivery } from './delivery.js';

export const deliveryRoutes = ({ deliveries }: { deliveries: Deliveries }) =>
  routes('/deliveries', [
    route.get('/', {
      operation: 'scimDeliveries.list',
      summary: 'List the deliveries of user events to SCIM servers, newest first.',
      callers: CALLERS,
      query: ListDeliveriesQuery,
      responses: { 200: DeliveryPage },
      handler: async ({ query: { _offset, _pageSize, ...filter } }) => {
        const paging = pagingOf({ _offset, _pageSize });
        return okPage(await deliveries.list(filter, paging), paging, showDelivery);
      },
    }),
    route.get('/:id', {
      operation: 'scimDeliveries.get',
      summary: 'Read a delivery.',
      callers: CALLERS,
      params: DeliveryParams,
      etag: revision,
      show: showDelivery,
      responses: { 200: ShownDelivery },
      handler: async ({ params }) => ok(await deliveries.get(params.id)),
    }),
    route.post('/:id/retry', {
      operation: 'scimDeliveries.retry',
      summary: 'Retry a failed delivery.',
      errors: [errors.deliveryNotFailed],
      callers: CALLERS,
      params: DeliveryParams,
      etag: revision,
      show: showDelivery,
      responses: { 200: ShownDelivery },
      handler: async ({ params }) => ok(await deliveries.retry(params.id)),
    }),
  ]);
