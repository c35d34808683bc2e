import { created, locationHeader, noContent, ok, okPage, pagingOf, revision, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import {
  CALLERS,
  CreatedScimServer,
  CreateScimServerBody,
  ListQuery,
  REGISTRATION_PATH,
  ScimServerPage,
  ServerParams,
} from './registration.http.js';
import { ShownScimServer, showScimServer } from './scim-server.js';
import type { ScimServer } from './scim-server.js';
import type { ScimServers } from './scim-servers.js';

interface Registration {
  server: ScimServer;
  clientSecret?: string;
}

export const scimServerRoutes = ({ scimServers }: { scimServers: ScimServers }) =>
  routes('/servers', [
    route.post('/', {
      operation: 'scimServers.create',
      summary: 'Register a SCIM server to which user events are delivered.',
      description: 'The client secret is returned only in this response.',
      errors: [errors.addressNotAllowed, errors.tooManyScimServers],
      callers: CALLERS,
      body: CreateScimServerBody,
      etag: ({ server }: Registration) => revision(server),
      show: ({ server, clientSecret }) => ({ ...showScimServer(server), clientSecret }),
      responses: { 201: CreatedScimServer },
      secrets: ['clientSecret'],
      headers: { 201: [locationHeader] },
      handler: async ({ body, access }) => {
        const server = await scimServers.create(body, access);
        const headers = { location: `${REGISTRATION_PATH}/servers/${server._id}`, 'cache-control': 'no-store' };
        return created({ server, clientSecret: body.clientSecret }, headers);
      },
    }),
    route.get('/', {
      operation: 'scimServers.list',
      summary: 'List the registered SCIM servers.',
      callers: CALLERS,
      query: ListQuery,
      responses: { 200: ScimServerPage },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await scimServers.list(paging), paging, showScimServer);
      },
    }),
    route.get('/:id', {
      operation: 'scimServers.get',
      summary: 'Read a registered SCIM server.',
      callers: CALLERS,
      params: ServerParams,
      etag: revision,
      show: showScimServer,
      responses: { 200: ShownScimServer },
      handler: async ({ params }) => ok(await scimServers.get(params.id)),
    }),
    route.delete('/:id', {
      operation: 'scimServers.delete',
      summary: 'Delete a SCIM server with its listeners. Pending deliveries are cancelled.',
      callers: CALLERS,
      params: ServerParams,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, precondition }) => {
        await scimServers.remove(params.id, precondition);
        return noContent();
      },
    }),
  ]);
