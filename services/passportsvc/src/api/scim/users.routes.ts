import { created, ok, route, routes, scimErrors } from '@dtplatform/http';
import type { PrincipalKind } from '@dtplatform/jwt';
import type { Deps } from '../../deps.js';
import { showUser } from './show-user.js';
import { CreateUserBody, ShownUser, UserParams } from './users.schemas.js';

const CALLERS: PrincipalKind[] = ['app', 'trusted', 'admin'];

const headersOf = ({ meta }: ShownUser) => ({
  'content-type': 'application/scim+json; charset=utf-8',
  etag: meta.version,
});

/** Users in SCIM 2.0 (docs/contract.md, "SCIM users"; RFC 7644). */
export const scimUserRoutes = ({ users, config }: Deps) =>
  routes(
    '/scim/Users',
    [
      route.post('/', {
        operation: 'users.create',
        summary: 'Create a user in the organization of the calling application.',
        callers: CALLERS,
        body: CreateUserBody,
        replies: { 201: ShownUser },
        handler: async ({ body: { schemas: _schemas, ...user }, access }) => {
          const shown = showUser(await users.create(user, access), config.BASE_URL);
          return created(shown, { ...headersOf(shown), location: shown.meta.location });
        },
      }),
      route.get('/:id', {
        operation: 'users.get',
        summary: 'A user.',
        callers: CALLERS,
        params: UserParams,
        replies: { 200: ShownUser },
        handler: async ({ params, access }) => {
          const shown = showUser(await users.get(params.id, access), config.BASE_URL);
          return ok(shown, headersOf(shown));
        },
      }),
    ],
    { errorFormat: scimErrors },
  );
