import { z } from 'zod';
import { documents, noContent, ok, revision, route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { AppConfigs, AVAILABLE_CONFIGS, AvailableConfig } from './app.js';
import type { App } from './app.js';
import type { Apps } from './apps.js';
import { AppConfigParams, ConfigsBody } from './apps.routes.js';

/** A configuration shares its app's revision. */
const configsOf = ({ _configs }: App) => _configs;
const common = { params: AppConfigParams, etag: revision, show: configsOf, responses: { 200: AppConfigs } };

export const appConfigRoutes = ({ apps }: { apps: Apps }) =>
  routes('/apps', [
    route.get('/configs', {
      operation: 'appConfigs.available',
      summary: 'List the supported configuration keys of apps.',
      needs: documents({ rule: 'anyone' }),
      responses: { 200: z.array(AvailableConfig) },
      handler: () => Promise.resolve(ok(AVAILABLE_CONFIGS)),
    }),
    route.get('/:appId/configs', {
      ...common,
      operation: 'appConfigs.get',
      summary: 'Read the configuration of an app.',
      needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:app' }),
      handler: async ({ params, access }) => ok(await apps.get(params.appId, access)),
    }),
    route.put('/:appId/configs', {
      ...common,
      operation: 'appConfigs.replace',
      summary: 'Replace the configuration of an app.',
      description: 'Requires EDIT or DELETE on the app.',
      errors: [errors.trustedApp],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:app' }),
      body: ConfigsBody,
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await apps.changeConfigs(params.appId, () => body, access, precondition)),
    }),
    route.patch('/:appId/configs', {
      ...common,
      operation: 'appConfigs.update',
      summary: 'Change the given keys in the configuration of an app.',
      description: 'Requires EDIT or DELETE on the app.',
      errors: [errors.trustedApp],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:app' }),
      body: ConfigsBody,
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await apps.changeConfigs(params.appId, (before) => ({ ...before, ...body }), access, precondition)),
    }),
    route.delete('/:appId/configs', {
      operation: 'appConfigs.clear',
      summary: 'Remove all keys from the configuration of an app.',
      description: 'Requires EDIT or DELETE on the app.',
      errors: [errors.trustedApp],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:app' }),
      params: AppConfigParams,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, access, precondition }) => {
        await apps.changeConfigs(params.appId, () => ({}), access, precondition);
        return noContent();
      },
    }),
  ]);
