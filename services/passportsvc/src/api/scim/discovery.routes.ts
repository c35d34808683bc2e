import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { ok, ownOrganization, route, routes, scimErrors } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.js';
import type { Discovered } from './discovery.js';
import { listUsers, SCIM_JSON } from './list-users.js';
import { CALLERS, LIST_SCHEMA, SearchBody, ShownList } from './users.schemas.js';

const headers = { 'content-type': SCIM_JSON };

const ShownResource = z.looseObject({ schemas: z.array(z.string()) });
const ShownResources = z.object({
  schemas: z.array(z.string()),
  totalResults: z.number(),
  startIndex: z.number(),
  itemsPerPage: z.number(),
  Resources: z.array(ShownResource),
});

const Query = z.object({ filter: z.string().optional() });
const IdParams = z.object({ id: z.string().max(200) });

/**
 * What the server's SCIM supports (RFC 7644, section 4). Clients read it before they have a token. Of the tables below `/scim`
 * it comes last, since it also answers for unknown paths.
 */
export function scimDiscoveryRoutes(deps: Deps) {
  const root = () => `${deps.config.BASE_URL}/passportsvc/api/v1/scim`;
  const collections = [
    { path: '/ResourceTypes', name: 'resourceTypes', what: 'resource types', listAt: resourceTypes },
    { path: '/Schemas', name: 'schemas', what: 'schemas', listAt: schemas },
  ];

  return routes(
    '/scim',
    [
      route.get('/ServiceProviderConfig', {
        operation: 'scim.config',
        summary: 'What the SCIM endpoints support.',
        auth: 'none',
        query: Query,
        replies: { 200: ShownResource },
        handler: async ({ query }) => {
          refuseFilter(query);
          return ok(serviceProviderConfig(root()), headers);
        },
      }),
      route.post('/.search', {
        operation: 'scim.search',
        summary: 'Resources of all types that match a filter. All of them are users.',
        needs: ownOrganization,
        callers: CALLERS,
        body: SearchBody,
        replies: { 200: ShownList },
        handler: ({ body, access }) => listUsers(deps, body, access),
      }),
      ...collections.flatMap(({ path, name, what, listAt }) => [
        route.get(path, {
          operation: `scim.${name}`,
          summary: `The SCIM ${what}.`,
          auth: 'none',
          query: Query,
          replies: { 200: ShownResources },
          handler: async ({ query }) => {
            refuseFilter(query);
            return ok(wholeList(listAt(root())), headers);
          },
        }),
        route.get(`${path}/:id`, {
          operation: `scim.${name}ById`,
          summary: `One of the SCIM ${what}.`,
          auth: 'none',
          params: IdParams,
          replies: { 200: ShownResource },
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

/** RFC 7644, section 4: filters are refused. @throws forbidden */
function refuseFilter({ filter }: { filter?: string }): void {
  if (filter !== undefined) throw commonErrors.forbidden({ message: 'These resources cannot be filtered.' });
}

const wholeList = (list: Discovered[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: list.length,
  startIndex: 1,
  itemsPerPage: list.length,
  Resources: list,
});
