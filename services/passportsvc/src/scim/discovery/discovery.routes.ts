import { commonErrors } from '@dtplatform/errors';
import { documents, ok, route, routes, scimErrors } from '@dtplatform/http';
import { listUsers, SCIM_JSON } from '../users/show-users.http.js';
import type { UserParts } from '../users/show-users.http.js';
import { CALLERS, LIST_SCHEMA, SearchBody, SearchShown, ShownList } from '../users/user-bodies.http.js';
import { unanswerable } from '../users/users.routes.js';
import {
  DiscoveryParams,
  DiscoveryQuery,
  ResourceType,
  ResourceTypeList,
  resourceTypes,
  Schema,
  SchemaList,
  schemas,
  serviceProviderConfig,
  ServiceProviderConfig,
} from './discovery.http.js';
import type { Discovered } from './discovery.http.js';

const headers = { 'content-type': SCIM_JSON };

/**
 * Discovery (RFC 7644, section 4), which clients read before they have a token. Mount it last below `/scim`: it also
 * handles unknown paths.
 */
export function scimDiscoveryRoutes(parts: UserParts) {
  const root = () => `${parts.config.BASE_URL}/passportsvc/api/v1/scim`;
  const collections = [
    {
      ...{ path: '/ResourceTypes', name: 'resourceTypes', what: 'resource type', listAt: resourceTypes },
      ...{ one: ResourceType, all: ResourceTypeList },
    },
    { path: '/Schemas', name: 'schemas', what: 'schema', listAt: schemas, one: Schema, all: SchemaList },
  ];

  return routes(
    '/scim',
    [
      route.get('/ServiceProviderConfig', {
        operation: 'scim.config',
        summary: 'Read what the SCIM endpoints support.',
        auth: 'none',
        errors: [commonErrors.forbidden],
        query: DiscoveryQuery,
        responses: { 200: ServiceProviderConfig },
        handler: async ({ query }) => {
          rejectFilter(query);
          return ok(serviceProviderConfig(root()), headers);
        },
      }),
      route.post('/.search', {
        operation: 'scim.search',
        reads: true,
        summary: 'List the resources of all types that match a filter. All of them are users.',
        aliasOf: 'users.search',
        errors: unanswerable,
        needs: documents({ rule: 'organization' }),
        callers: CALLERS,
        body: SearchBody,
        shownBody: SearchShown,
        responses: { 200: ShownList },
        handler: ({ body, access }) => listUsers(parts, body, access),
      }),
      ...collections.flatMap(({ path, name, what, listAt, one, all }) => [
        route.get(path, {
          operation: `scim.${name}`,
          summary: `List the SCIM ${what}s.`,
          auth: 'none',
          errors: [commonErrors.forbidden],
          query: DiscoveryQuery,
          responses: { 200: all },
          handler: async ({ query }) => {
            rejectFilter(query);
            return ok(wholeList(listAt(root())), headers);
          },
        }),
        route.get(`${path}/:id`, {
          operation: `scim.${name}ById`,
          summary: `Read a SCIM ${what}.`,
          auth: 'none',
          params: DiscoveryParams,
          responses: { 200: one },
          handler: async ({ params }) => {
            const found = listAt(root()).find(({ id }) => id?.toLowerCase() === params.id.toLowerCase());
            if (!found) throw commonErrors.notFound();
            return ok(found, headers);
          },
        }),
      ]),
    ],
    { errorFormat: scimErrors, ownsBase: true },
  );
}

/** RFC 7644, section 4: filters are rejected. @throws forbidden */
function rejectFilter({ filter }: { filter?: string }): void {
  if (filter !== undefined) throw commonErrors.forbidden({ message: 'These resources cannot be filtered.' });
}

const wholeList = (list: Discovered[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: list.length,
  startIndex: 1,
  itemsPerPage: list.length,
  Resources: list,
});
