import {
  created,
  documents,
  locationHeader,
  noContent,
  ok,
  okPage,
  pagingOf,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showApp, ShownApp } from '../../domain/apps/app.js';
import { errors } from '../../errors.js';
import {
  AppPage,
  AppParams,
  appQueryOf,
  ChangeAppBody,
  CreateAppBody,
  CreatedApp,
  GetAppQuery,
  ListAppsQuery,
  OriginList,
} from './apps.schemas.js';

/** Applications (docs/contract.md, "Applications"). */
export const appRoutes = ({ apps }: Deps) =>
  routes('/apps', [
    route.post('/', {
      operation: 'apps.create',
      summary: 'Register an app.',
      description:
        'The secret is returned only in this reply. Apps may register others for their own organization only.',
      errors: [errors.unknownOwner, errors.unknownOrganization, errors.foreignOrganization, errors.shortNameTaken],
      needs: documents({ rule: 'organization' }),
      callers: ['app', 'trusted', 'admin'],
      body: CreateAppBody,
      etag: revision,
      show: showApp,
      replies: { 201: CreatedApp },
      secrets: ['_secret'],
      again: (id, { access }) => apps.get(id, access),
      headers: { 201: [locationHeader] },
      handler: async ({ body, access }) => {
        const { app, secret } = await apps.create(body, access);
        const location = `/passportsvc/api/v1/apps/${app._id}`;
        return created({ ...app, _secret: secret }, { location, 'cache-control': 'no-store' });
      },
    }),
    route.get('/', {
      operation: 'apps.list',
      summary: 'List the apps that the caller owns or may read.',
      description:
        'With a token of an app, those of its organization as well; for administrators and trusted clients, all.',
      errors: [errors.queryTooSlow],
      needs: documents({ rule: 'filter', action: 'READ', resource: 'passportsvc:app' }),
      query: ListAppsQuery,
      replies: { 200: AppPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await apps.list(appQueryOf(query), paging, access), paging, showApp);
      },
    }),
    route.get('/origins', {
      operation: 'apps.listOrigins',
      summary: 'List the origins that apps authorize. For services of the platform.',
      callers: ['trusted'],
      replies: { 200: OriginList },
      handler: async () => ok({ _list: await apps.authorizedOrigins() }),
    }),
    ...routesOfOne(apps),
  ]);

/** The operations on one app. */
const routesOfOne = (apps: Deps['apps']): Route[] => [
  route.get('/:id', {
    operation: 'apps.get',
    summary: 'Read an app.',
    needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:app' }),
    params: AppParams,
    query: GetAppQuery,
    etag: revision,
    show: showApp,
    replies: { 200: ShownApp },
    handler: async ({ params, query, access }) => {
      const { _configs, ...app } = await apps.get(params.id, access);
      return ok(query.withConfigs ? { ...app, _configs } : app);
    },
  }),
  route.put('/:id', {
    operation: 'apps.update',
    summary: 'Change the given fields of an app.',
    description: 'Owners and administrators need no permission.',
    errors: [errors.trustedApp, errors.onlyAdministrators],
    needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:app' }),
    params: AppParams,
    body: ChangeAppBody,
    etag: revision,
    show: showApp,
    replies: { 200: ShownApp },
    ifMatch: true,
    handler: async ({ params, body, access, precondition }) => {
      const { _configs, ...app } = await apps.update(params.id, body, access, precondition);
      return ok(app);
    },
  }),
  route.delete('/:id', {
    operation: 'apps.delete',
    summary: 'Delete an app. Its tokens, sign-ins and consents, and the permissions in its namespaces, end at once.',
    description: 'Owners and administrators need no permission.',
    errors: [errors.trustedApp],
    needs: documents({ rule: 'resource', action: 'DELETE', resource: 'passportsvc:app' }),
    params: AppParams,
    replies: { 204: null },
    ifMatch: true,
    handler: async ({ params, access, precondition }) => {
      await apps.remove(params.id, access, precondition);
      return noContent();
    },
  }),
];
