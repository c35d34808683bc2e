import type { PrincipalKind } from '@dtplatform/jwt';
import { created, ok, route, routes, scimErrors } from '@dtplatform/http';
import type { Reply } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { User } from '../../domain/user.js';
import { scimUser } from './scim-user.js';
import { CreateUserBody, UserParams, UserReply } from './users.schemas.js';

/** SCIM is for applications; ordinary users get a 403. */
const CALLERS: PrincipalKind[] = ['app', 'trusted', 'admin'];

/** Users in SCIM 2.0 (contract: SCIM users; RFC 7644). */
export const scimUserRoutes = ({ userUseCases, config }: Deps) =>
  routes(
    '/scim/Users',
    [
      route.post('/', {
        operation: 'users.create',
        summary: 'Create a user in the organization of the calling application.',
        callers: CALLERS,
        body: CreateUserBody,
        replies: { 201: UserReply },
        handler: async ({ body: { schemas: _schemas, ...user }, access }) => {
          const reply = asScim(await userUseCases.create(user, access), config.BASE_URL);
          return created(reply.body, { ...reply.headers, location: reply.body.meta.location });
        },
      }),
      route.get('/:id', {
        operation: 'users.get',
        summary: 'A user.',
        callers: CALLERS,
        params: UserParams,
        replies: { 200: UserReply },
        handler: async ({ params, access }) => {
          const { body, headers } = asScim(await userUseCases.get(params.id, access), config.BASE_URL);
          return ok(body, headers);
        },
      }),
    ],
    { errorFormat: scimErrors },
  );

function asScim(user: User, baseUrl: string) {
  const body = scimUser(user, baseUrl);
  const headers: Reply['headers'] = { 'content-type': 'application/scim+json; charset=utf-8', etag: body.meta.version };
  return { body, headers };
}
