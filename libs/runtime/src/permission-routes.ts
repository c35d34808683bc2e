import { z } from 'zod';
import { PermissionEntry, ResourceId } from '@dtplatform/contracts';
import { booleanParameter, documents, noContent, ok, pagingParameters, route, routes } from '@dtplatform/http';
import type { RouteTable } from '@dtplatform/http';
import {
  createOwnPermissions,
  Permission,
  PermissionPage,
  revocationErrors,
  WrittenPermissions,
} from '@dtplatform/permissions';
import { resource } from './resource.js';
import type { ServiceDeps } from './service-app.js';

const MAX_ENTRIES = 1000;
const { _namespace, _user, _resourceDesc } = Permission.shape;

/** The permissions on a service's own resources (docs/contract.md, "Permissions"). */
export const permissionsOf = (service: string) =>
  resource({
    tags: { permissions: 'Permissions on the resources of this service.' },
    routes: (parts: ServiceDeps) => [permissionRoutes(service, parts)],
  });

function permissionRoutes(service: string, deps: ServiceDeps): RouteTable {
  let client: ReturnType<ServiceDeps['serviceClient']> | undefined;
  const permissions = createOwnPermissions(
    service,
    () => (client ??= deps.serviceClient(deps.config.OBJECTMODELSVC_URL)),
  );

  return routes('/permissions', [
    route.put('/', {
      operation: 'permissions.put',
      summary: `Grant permissions on resources of ${service}.`,
      description: 'Each entry is granted or rejected independently; the response is a 200 even if all are rejected.',
      needs: documents({ rule: 'entries', action: 'SHARE', resource: `${service}:*` }),
      body: z.array(z.unknown()).max(MAX_ENTRIES),
      shownBody: z.array(PermissionEntry).max(MAX_ENTRIES),
      responses: { 200: WrittenPermissions },
      handler: async ({ body, access, signal }) =>
        ok(await permissions.put(body, { token: access.principal.token, signal })),
    }),
    route.get('/', {
      operation: 'permissions.list',
      summary: `List the permissions of a user on a resource of ${service}.`,
      needs: documents({ rule: 'filter', action: 'SHARE', resource: `${service}:*` }),
      query: z.object({
        _namespace: _namespace.describe('The namespace in which the permissions apply.'),
        '_user._id': _user.shape._id,
        '_user._type': _user.shape._type,
        '_resourceDesc._irn': _resourceDesc.shape._irn
          // A second pattern in its description would make it hard to generate values.
          .refine((irn) => irn.startsWith(`${service}:`), `must start with ${service}:`)
          .describe(`The resource pattern, exactly as in the permission; starts with \`${service}:\`.`),
        patternmatch: booleanParameter.describe(
          'Whether to include permissions whose patterns cover the resources or are covered by them.',
        ),
        ...pagingParameters(),
      }),
      responses: { 200: PermissionPage },
      handler: async ({ query, access, signal }) =>
        ok(await permissions.list(query, { token: access.principal.token, signal })),
    }),
    route.delete('/:id', {
      operation: 'permissions.delete',
      summary: `Revoke a permission on resources of ${service} immediately.`,
      errors: Object.values(revocationErrors),
      needs: documents({ rule: 'resource', action: 'SHARE', resource: `${service}:*` }),
      params: z.object({ id: ResourceId.describe('The id of the permission.') }),
      responses: { 204: null },
      ifMatch: true,
      async handler({ params, access, req, signal }) {
        await permissions.remove(params.id, req.headers['if-match'], { token: access.principal.token, signal });
        return noContent();
      },
    }),
  ]);
}
