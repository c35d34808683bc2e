import { created, ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { shownApp } from '../../domain/app.js';
import { AppParams, AppReply, CreateAppBody, CreatedAppReply, GetAppQuery } from './apps.schemas.js';

/** Applications (contract: Applications). */
export const appRoutes = ({ appUseCases }: Deps) =>
  routes('/apps', [
    route.post('/', {
      operation: 'apps.create',
      summary: 'Register an application; the reply alone holds its secret.',
      callers: ['app', 'trusted', 'admin'],
      body: CreateAppBody,
      replies: { 201: CreatedAppReply },
      handler: async ({ body, access }) => {
        const { app, secret } = await appUseCases.create(body, access);
        const location = `/passportsvc/api/v1/apps/${app._id}`;
        return created(shownApp(app, { withConfigs: true, secret }), { location, 'cache-control': 'no-store' });
      },
    }),
    route.get('/:id', {
      operation: 'apps.get',
      summary: 'An application.',
      params: AppParams,
      query: GetAppQuery,
      replies: { 200: AppReply },
      handler: async ({ params, query, access }) => ok(shownApp(await appUseCases.get(params.id, access), query)),
    }),
  ]);
