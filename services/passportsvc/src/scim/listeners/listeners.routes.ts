import { created, locationHeader, noContent, ok, okPage, pagingOf, revision, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import {
  CALLERS,
  CreateScimListenerBody,
  ListenerParams,
  ListQuery,
  REGISTRATION_PATH,
  ScimListenerPage,
} from '../servers/registration.http.js';
import { ShownScimListener, showScimListener } from './scim-listeners.js';
import type { ScimListeners } from './scim-listeners.js';

export const scimListenerRoutes = ({ scimListeners }: { scimListeners: ScimListeners }) =>
  routes('/listeners', [
    route.post('/', {
      operation: 'scimListeners.create',
      summary: 'Register a listener: deliver an event of users to a SCIM server.',
      errors: [errors.unknownScimServer, errors.listenerExists],
      callers: CALLERS,
      body: CreateScimListenerBody,
      etag: revision,
      show: showScimListener,
      responses: { 201: ShownScimListener },
      headers: { 201: [locationHeader] },
      handler: async ({ body: { scimServerDetailId, eventName }, access }) => {
        const listener = await scimListeners.create({ scimServerDetailId, eventName }, access);
        return created(listener, { location: `${REGISTRATION_PATH}/listeners/${listener._id}` });
      },
    }),
    route.get('/', {
      operation: 'scimListeners.list',
      summary: 'List the listeners of all SCIM servers.',
      callers: CALLERS,
      query: ListQuery,
      responses: { 200: ScimListenerPage },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await scimListeners.list(paging), paging, showScimListener);
      },
    }),
    route.get('/:id', {
      operation: 'scimListeners.get',
      summary: 'Read a listener.',
      callers: CALLERS,
      params: ListenerParams,
      etag: revision,
      show: showScimListener,
      responses: { 200: ShownScimListener },
      handler: async ({ params }) => ok(await scimListeners.get(params.id)),
    }),
    route.delete('/:id', {
      operation: 'scimListeners.delete',
      summary: 'Delete a listener. Events recorded earlier are still delivered.',
      callers: CALLERS,
      params: ListenerParams,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, precondition }) => {
        await scimListeners.remove(params.id, precondition);
        return noContent();
      },
    }),
  ]);
