import { z } from 'zod';
import { fewNamespaces } from '@dtplatform/contracts';
import {
  created,
  documents,
  noContent,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
  wholePage,
} from '@dtplatform/http';
import { oneOf } from '../../requests/parameters.http.js';
import {
  NewPermissionProfile,
  PermissionProfile,
  ShownPermissionProfile,
  showPermissionProfile,
} from './permission-profiles.js';
import type { PermissionProfiles } from './permission-profiles.js';

const MAX_PROFILES = 100;

const CreatePermissionProfilesBody = z
  .array(NewPermissionProfile)
  .max(MAX_PROFILES)
  .refine(...fewNamespaces(({ _namespaces }: NewPermissionProfile) => _namespaces));

const ListPermissionProfilesQuery = z.object({ ...pagingParameters(), _name: oneOf('name') });

const PermissionProfileParams = z.object({ id: PermissionProfile.shape._id });
const PermissionProfilePage = pageOf(ShownPermissionProfile).meta({
  id: 'PermissionProfilePage',
  description: 'A page of permission profiles.',
});

export const permissionProfileRoutes = ({ permissionProfiles }: { permissionProfiles: PermissionProfiles }) =>
  routes('/permissionprofiles', [
    route.get('/', {
      operation: 'permissionprofiles.list',
      summary: 'List the permission profiles that the caller may read.',
      needs: documents({ rule: 'filter', action: 'READ', resource: 'passportsvc:permissionprofile' }),
      query: ListPermissionProfilesQuery,
      responses: { 200: PermissionProfilePage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        const { _name: names } = query;
        const listing = await permissionProfiles.list({ ...(names && { names }) }, paging, access);
        return okPage(listing, paging, showPermissionProfile);
      },
    }),
    route.post('/', {
      operation: 'permissionprofiles.create',
      summary: 'Create permission profiles, all or none.',
      description: 'The caller gets all permissions on them.',
      needs: documents({ rule: 'all', action: 'CREATE', resource: 'passportsvc:permissionprofile' }),
      body: CreatePermissionProfilesBody,
      responses: { 201: PermissionProfilePage },
      again: async (id, { access }) => showPermissionProfile(await permissionProfiles.get(id, access)),
      handler: async ({ body, access }) =>
        created(wholePage((await permissionProfiles.create(body, access)).map(showPermissionProfile))),
    }),
    route.get('/:id', {
      operation: 'permissionprofiles.get',
      summary: 'Read a permission profile.',
      needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:permissionprofile' }),
      params: PermissionProfileParams,
      etag: revision,
      show: showPermissionProfile,
      responses: { 200: ShownPermissionProfile },
      handler: async ({ params, access }) => ok(await permissionProfiles.get(params.id, access)),
    }),
    route.delete('/:id', {
      operation: 'permissionprofiles.delete',
      summary: 'Delete a permission profile with its permissions. Runs that use it end as ERROR.',
      needs: documents({ rule: 'resource', action: 'DELETE', resource: 'passportsvc:permissionprofile' }),
      params: PermissionProfileParams,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, access, precondition }) => {
        await permissionProfiles.remove(params.id, access, precondition);
        return noContent();
      },
    }),
  ]);
