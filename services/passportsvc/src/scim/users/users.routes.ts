import { commonErrors } from '@dtplatform/errors';
import { created, documents, noContent, ok, route, routes, scimErrors } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { errors } from '../../errors.js';
import {
  listUsers,
  locationOf,
  reportUnknownAttributes,
  SCIM_JSON,
  showUser,
  versionOf,
  weakPreconditionOf,
} from './show-users.http.js';
import type { Selection, UserParts } from './show-users.http.js';
import {
  CALLERS,
  ListQuery,
  PatchBody,
  PatchShown,
  SearchBody,
  SearchShown,
  SelectionQuery,
  SentUserShown,
  ShownList,
  ShownUser,
  UserBody,
  userHeaders,
  UserParams,
} from './user-bodies.http.js';
import type { User } from './user.js';

export const unanswerable = [
  errors.invalidFilter,
  errors.invalidPath,
  errors.tooManyMatches,
  commonErrors.pageTooLarge,
];
/** Passwords queue for hashing, and the queue may be full. */
const unstorable = [errors.userNameTaken, commonErrors.tooManyRequests];
const unpatchable = [
  errors.invalidPath,
  errors.invalidFilter,
  errors.noTarget,
  errors.readOnlyAttribute,
  errors.invalidValue,
];

export const scimUserRoutes = (parts: UserParts) => {
  const showing = createShowing(parts);

  return routes(
    '/scim/Users',
    [
      route.post('/', {
        operation: 'users.create',
        summary: 'Create a user in the organization of the calling app.',
        errors: unstorable,
        needs: documents({ rule: 'organization' }),
        callers: CALLERS,
        query: SelectionQuery,
        body: UserBody,
        shownBody: SentUserShown,
        responses: { 201: ShownUser },
        headers: { 201: userHeaders },
        again: async (id, { query, access }) => showing.shown(await parts.users.get(id, access), query),
        handler: async ({ body: { schemas: _schemas, ...sent }, query, access }) => {
          const user = await parts.users.create(sent, access);
          return created(showing.shown(user, query), showing.headersOf(user));
        },
      }),
      route.get('/', {
        operation: 'users.list',
        summary: 'List the users that match a filter.',
        description: 'Apps see the users of their organization; administrators and trusted clients see all users.',
        errors: unanswerable,
        needs: documents({ rule: 'organization' }),
        callers: CALLERS,
        query: ListQuery,
        responses: { 200: ShownList },
        handler: ({ query, access }) => listUsers(parts, query, access),
      }),
      route.post('/.search', {
        operation: 'users.search',
        reads: true,
        summary: 'List the users that match a filter, with the parameters in the body.',
        errors: unanswerable,
        needs: documents({ rule: 'organization' }),
        callers: CALLERS,
        body: SearchBody,
        shownBody: SearchShown,
        responses: { 200: ShownList },
        handler: ({ body, access }) => listUsers(parts, body, access),
      }),
      ...routesOfOne(parts, showing),
    ],
    { errorFormat: scimErrors },
  );
};

const routesOfOne = ({ users }: UserParts, { okUser }: Showing): Route[] => [
  route.get('/:id', {
    operation: 'users.get',
    summary: 'Read a user.',
    needs: documents({ rule: 'organization' }),
    callers: CALLERS,
    params: UserParams,
    query: SelectionQuery,
    responses: { 200: ShownUser },
    headers: { 200: userHeaders },
    handler: async ({ params, query, access }) => okUser(await users.get(params.id, access), query),
  }),
  route.put('/:id', {
    operation: 'users.replace',
    summary: 'Replace all attributes of a user.',
    description:
      '`active` and `password` do not change if omitted. `active: false` or a new password ends the access of the user immediately.',
    errors: [errors.administratorOnly, errors.lastAdministrator, ...unstorable],
    needs: documents({ rule: 'organization' }),
    callers: CALLERS,
    params: UserParams,
    query: SelectionQuery,
    body: UserBody,
    shownBody: SentUserShown,
    responses: { 200: ShownUser },
    headers: { 200: userHeaders },
    ifMatch: true,
    handler: async ({ params, query, body: { schemas: _schemas, ...sent }, access, req }) => {
      const how = { access, precondition: weakPreconditionOf(req) };
      return okUser(await users.replace(params.id, sent, how), query);
    },
  }),
  route.patch('/:id', {
    operation: 'users.patch',
    summary: 'Change individual attributes of a user, all or none.',
    description: '`active: false` or a new password ends the access of the user immediately.',
    errors: [errors.administratorOnly, errors.lastAdministrator, ...unstorable, ...unpatchable],
    needs: documents({ rule: 'organization' }),
    callers: CALLERS,
    params: UserParams,
    query: SelectionQuery,
    body: PatchBody,
    shownBody: PatchShown,
    responses: { 200: ShownUser },
    headers: { 200: userHeaders },
    ifMatch: true,
    handler: async ({ params, query, body, access, req, res }) => {
      reportUnknownAttributes({ req, res }, body);
      const how = { access, precondition: weakPreconditionOf(req) };
      return okUser(await users.patch(params.id, body.Operations, how), query);
    },
  }),
  route.delete('/:id', {
    operation: 'users.delete',
    summary: 'Delete a user. Their access and permissions end.',
    errors: [errors.administratorOnly, errors.lastAdministrator],
    needs: documents({ rule: 'organization' }),
    callers: CALLERS,
    params: UserParams,
    responses: { 204: null },
    ifMatch: true,
    handler: async ({ params, access, req }) => {
      await users.remove(params.id, { access, precondition: weakPreconditionOf(req) });
      return noContent();
    },
  }),
];

type Showing = ReturnType<typeof createShowing>;

function createShowing({ config }: UserParts) {
  const shown = (user: User, selection: Selection) => showUser(user, config.BASE_URL, selection);
  const headersOf = (user: User) => ({
    'content-type': SCIM_JSON,
    etag: versionOf(user),
    location: locationOf(user, config.BASE_URL),
  });
  return {
    shown,
    headersOf,
    okUser: (user: User, selection: Selection) => ok(shown(user, selection), headersOf(user)),
  };
}
