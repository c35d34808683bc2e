import { created, ok, revision, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showApp, ShownApp } from '../../domain/apps/app.js';
import { AppParams, CreateAppBody, CreatedApp, GetAppQuery } from './apps.schemas.js';

/** Applications (docs/contract.md, "Applications"). */
export const appRoutes = ({ apps }: Deps) =>
  routes('/apps', [
    route.post('/', {
      operation: 'apps.create',
      summary: 'Register an application; the reply alone holds its secret.',
      callers: ['app', 'trusted', 'admin'],
      body: CreateAppBody,
      etag: revision,
      show: showApp,
      replies: { 201: CreatedApp },
      handler: async ({ body, access }) => {
        const { app, secret } = await apps.create(body, access);
        const location = `/passportsvc/api/v1/apps/${app._id}`;
        return created({ ...app, _secret: secret }, { location, 'cache-control': 'no-store' });
      },
    }),
    route.get('/:id', {
      operation: 'apps.get',
      summary: 'An application.',
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
  ]);
