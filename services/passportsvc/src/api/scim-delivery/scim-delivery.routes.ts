import { created, noContent, ok, okPage, pagingOf, revision, route, routes } from '@dtplatform/http';
import type { PrincipalKind } from '@dtplatform/jwt';
import type { Deps } from '../../deps.js';
import { showDelivery, ShownDelivery } from '../../domain/scim-delivery/delivery.js';
import { showScimListener, ShownScimListener } from '../../domain/scim-delivery/scim-listener.js';
import { showScimServer, ShownScimServer } from '../../domain/scim-delivery/scim-server.js';
import type { ScimServer } from '../../domain/scim-delivery/scim-server.js';
import {
  CreatedScimServer,
  CreateScimListenerBody,
  CreateScimServerBody,
  DeliveryPage,
  ListDeliveriesQuery,
  ListQuery,
  Params,
  ScimListenerPage,
  ScimServerPage,
} from './scim-delivery.schemas.js';

/** Callers with an `ADMIN_API_TOKEN`. */
const CALLERS: PrincipalKind[] = ['trusted', 'admin'];
const PREFIX = '/auth/realms/master/scim';

interface Registration {
  server: ScimServer;
  /** As it was sent. */
  clientSecret?: string;
}

/** SCIM servers that learn of users (docs/contract.md, "SCIM registration"). */
export const scimServerRoutes = ({ scimServers }: Deps) =>
  routes('/servers', [
    route.post('/', {
      operation: 'scimServers.create',
      summary: 'Register a SCIM server; the reply alone holds its client secret.',
      callers: CALLERS,
      body: CreateScimServerBody,
      etag: ({ server }: Registration) => revision(server),
      show: ({ server, clientSecret }) => ({ ...showScimServer(server), clientSecret }),
      replies: { 201: CreatedScimServer },
      handler: async ({ body, access }) => {
        const server = await scimServers.create(body, access);
        const headers = { location: `${PREFIX}/servers/${server._id}`, 'cache-control': 'no-store' };
        return created({ server, clientSecret: body.clientSecret }, headers);
      },
    }),
    route.get('/', {
      operation: 'scimServers.list',
      summary: 'The registered SCIM servers.',
      callers: CALLERS,
      query: ListQuery,
      replies: { 200: ScimServerPage },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await scimServers.list(paging), paging, showScimServer);
      },
    }),
    route.get('/:id', {
      operation: 'scimServers.get',
      summary: 'A registered SCIM server.',
      callers: CALLERS,
      params: Params,
      etag: revision,
      show: showScimServer,
      replies: { 200: ShownScimServer },
      handler: async ({ params }) => ok(await scimServers.get(params.id)),
    }),
    route.delete('/:id', {
      operation: 'scimServers.delete',
      summary: 'Delete a SCIM server with its listeners; what is not delivered yet is cancelled.',
      callers: CALLERS,
      params: Params,
      replies: { 204: null },
      handler: async ({ params, precondition }) => {
        await scimServers.remove(params.id, precondition);
        return noContent();
      },
    }),
  ]);

/** The events that a SCIM server learns of (docs/contract.md, "SCIM registration"). */
export const scimListenerRoutes = ({ scimServers: { listeners } }: Deps) =>
  routes('/listeners', [
    route.post('/', {
      operation: 'scimListeners.create',
      summary: 'Tell a SCIM server of an event of users.',
      callers: CALLERS,
      body: CreateScimListenerBody,
      etag: revision,
      show: showScimListener,
      replies: { 201: ShownScimListener },
      handler: async ({ body: { scimServerDetailId, eventName }, access }) => {
        const listener = await listeners.create({ scimServerDetailId, eventName }, access);
        return created(listener, { location: `${PREFIX}/listeners/${listener._id}` });
      },
    }),
    route.get('/', {
      operation: 'scimListeners.list',
      summary: 'The listeners of all SCIM servers.',
      callers: CALLERS,
      query: ListQuery,
      replies: { 200: ScimListenerPage },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await listeners.list(paging), paging, showScimListener);
      },
    }),
    route.get('/:id', {
      operation: 'scimListeners.get',
      summary: 'A listener.',
      callers: CALLERS,
      params: Params,
      etag: revision,
      show: showScimListener,
      replies: { 200: ShownScimListener },
      handler: async ({ params }) => ok(await listeners.get(params.id)),
    }),
    route.delete('/:id', {
      operation: 'scimListeners.delete',
      summary: 'Delete a listener; events that were recorded before are still delivered.',
      callers: CALLERS,
      params: Params,
      replies: { 204: null },
      handler: async ({ params, precondition }) => {
        await listeners.remove(params.id, precondition);
        return noContent();
      },
    }),
  ]);

/** The delivery log (docs/contract.md, "SCIM registration"). */
export const deliveryRoutes = ({ deliveries }: Deps) =>
  routes('/deliveries', [
    route.get('/', {
      operation: 'scimDeliveries.list',
      summary: 'Events of users and what became of them on each SCIM server, the newest first.',
      callers: CALLERS,
      query: ListDeliveriesQuery,
      replies: { 200: DeliveryPage },
      handler: async ({ query: { _offset, _pageSize, ...filter } }) => {
        const paging = pagingOf({ _offset, _pageSize });
        return okPage(await deliveries.list(filter, paging), paging, showDelivery);
      },
    }),
    route.get('/:id', {
      operation: 'scimDeliveries.get',
      summary: 'A delivery.',
      callers: CALLERS,
      params: Params,
      etag: revision,
      show: showDelivery,
      replies: { 200: ShownDelivery },
      handler: async ({ params }) => ok(await deliveries.get(params.id)),
    }),
    route.post('/:id/retry', {
      operation: 'scimDeliveries.retry',
      summary: 'Deliver once more what was given up.',
      callers: CALLERS,
      params: Params,
      etag: revision,
      show: showDelivery,
      replies: { 200: ShownDelivery },
      handler: async ({ params }) => ok(await deliveries.retry(params.id)),
    }),
  ]);
