import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import {
  created,
  documents,
  locationHeader,
  noContent,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { oneOf, textQuery } from '../../requests/parameters.http.js';
import { App, AppChange, entriesOf, showApp, ShownApp } from './app.js';
import type { Apps } from './apps.js';

const { _id, _shortName, _redirectUris, _whitelistedApps, _configs } = App.shape;

const Limit = z
  .union([_configs.valueType, z.int().min(0).max(999_999_999)], 'must be a whole number')
  .transform(String);
export const ConfigsBody = z.partialRecord(_configs.keyType, Limit).meta({
  id: 'AppConfigsInput',
  description: 'Limits on what is created through an app: whole numbers of up to 9 digits, as numbers or strings.',
});

const SomeRedirectUris = _redirectUris.refine((list) => entriesOf(list).length > 0, 'must contain at least one URI');

const CreateAppBody = App.pick({ _name: true, _userType: true, _orgId: true })
  .extend({
    _appOwner: z
      .string()
      .min(1)
      .max(320)
      .describe('The email address of a user of the organization, who gets all permissions on the app.'),
    _redirectUris: SomeRedirectUris,
    _shortName: _shortName
      .optional()
      .describe('The short name of the app, unique on the platform; `_name` by default.'),
    _whitelistedApps: _whitelistedApps.default([]),
    _configs: ConfigsBody.default({}),
  })
  .meta({ id: 'NewApp', description: 'An app to register.' });

const ChangeAppBody = AppChange.extend({ _redirectUris: SomeRedirectUris }).meta({
  id: 'AppChange',
  description: 'New values of an app. Optional fields change only if they are sent.',
});

const ListAppsQuery = z.object({
  ...pagingParameters(),
  _name: oneOf('name'),
  _userType: oneOf('type'),
  _shortName: oneOf('short name'),
  _orgId: oneOf('organization id'),
  query: textQuery('name or short name'),
});
const AppPage = pageOf(ShownApp).meta({
  id: 'AppPage',
  description: 'A page of apps, without their configurations.',
});

function appQueryOf({ _name, _userType, _shortName, _orgId, query: text }: z.infer<typeof ListAppsQuery>) {
  const fields = {
    ...(_name && { _name }),
    ...(_userType && { _userType }),
    ...(_shortName && { _shortName }),
    ...(_orgId && { _orgId }),
  };
  return { fields, text };
}

const OriginList = z
  .object({
    _list: z
      .array(z.string())
      .describe('The origins in the form that browsers send, such as `https://app.example.com`.'),
  })
  .meta({ id: 'AuthorizedOrigins', description: 'The origins whose pages may call the platform from a browser.' });

export const AppConfigParams = z.object({ appId: _id });
const AppParams = z.object({ id: _id });

/** A string by contract (docs/contract.md, "Applications"): everything but `false`, in any case, is true. */
const GetAppQuery = z.object({
  withConfigs: z
    .string()
    .optional()
    .transform((text) => text !== undefined && text.toLowerCase() !== 'false')
    .describe('Whether to include `_configs`: any value but `false` includes it; not included by default.'),
});

const CreatedApp = ShownApp.extend({
  _secret: z
    .string()
    .optional()
    .describe(
      'The secret of the app, its `client_secret`. A response repeated for an `Idempotency-Key` does not contain it.',
    ),
}).meta({ id: 'CreatedApp', description: 'An app with its new secret, which is returned only once.' });

const MAX_PREVIOUS_SEC = 7 * 24 * 3600;
const ReplaceSecretBody = z
  .object({
    _previousValidForSec: z
      .int()
      .min(0)
      .max(MAX_PREVIOUS_SEC)
      .default(0)
      .describe('How long the former secret stays valid, in seconds, so that its users can change over: up to 7 days.'),
    _endTokens: z
      .boolean()
      .default(false)
      .describe('Whether the access tokens issued so far to the app and its users end, for a secret that leaked.'),
  })
  .refine(
    ({ _previousValidForSec, _endTokens }) => !_endTokens || _previousValidForSec === 0,
    '_endTokens cannot be combined with _previousValidForSec: the former secret would get new tokens',
  )
  .meta({ id: 'SecretReplacement', description: 'How the secret of an app is replaced.' });

export const appRoutes = ({ apps }: { apps: Apps }) =>
  routes('/apps', [
    route.post('/', {
      operation: 'apps.create',
      summary: 'Register an app.',
      description:
        'The secret is returned only in this response. Apps can register others only for their own organization.',
      errors: [errors.unknownOwner, errors.unknownOrganization, errors.foreignOrganization, errors.shortNameTaken],
      needs: documents({ rule: 'organization' }),
      callers: ['app', 'trusted', 'admin'],
      body: CreateAppBody,
      etag: revision,
      show: showApp,
      responses: { 201: CreatedApp },
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
        'With a token of an app, also those of its organization; for administrators and trusted clients, all.',
      errors: [errors.queryTooSlow],
      needs: documents({ rule: 'filter', action: 'READ', resource: 'passportsvc:app' }),
      query: ListAppsQuery,
      responses: { 200: AppPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await apps.list(appQueryOf(query), paging, access), paging, showApp);
      },
    }),
    route.get('/origins', {
      operation: 'apps.listOrigins',
      summary: 'List the origins authorized by apps. For services of the platform.',
      callers: ['trusted'],
      responses: { 200: OriginList },
      handler: async () => ok({ _list: await apps.authorizedOrigins() }),
    }),
    ...routesOfOne(apps),
  ]);

const routesOfOne = (apps: Apps): Route[] => [
  route.get('/:id', {
    operation: 'apps.get',
    summary: 'Read an app.',
    needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:app' }),
    params: AppParams,
    query: GetAppQuery,
    etag: revision,
    show: showApp,
    responses: { 200: ShownApp },
    handler: async ({ params, query, access }) => {
      const { _configs, ...app } = await apps.get(params.id, access);
      return ok(query.withConfigs ? { ...app, _configs } : app);
    },
  }),
  route.put('/:id', {
    operation: 'apps.update',
    summary: 'Change the given fields of an app.',
    description: 'Owners and administrators need no permission.',
    errors: [errors.trustedApp, errors.onlyAdministrators, errors.platformApp],
    needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:app' }),
    params: AppParams,
    body: ChangeAppBody,
    etag: revision,
    show: showApp,
    responses: { 200: ShownApp },
    ifMatch: true,
    handler: async ({ params, body, access, precondition }) => {
      const { _configs, ...app } = await apps.update(params.id, body, access, precondition);
      return ok(app);
    },
  }),
  route.post('/:id/secret', {
    operation: 'apps.replaceSecret',
    summary: 'Replace the secret of an app.',
    description:
      'The new secret is returned only in this response. The former one stops working immediately, or after `_previousValidForSec`. Owners and administrators need no permission.',
    errors: [errors.trustedApp, errors.serviceClientSecret, commonErrors.conflict],
    needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:app' }),
    params: AppParams,
    body: ReplaceSecretBody,
    etag: revision,
    show: showApp,
    responses: { 200: CreatedApp },
    secrets: ['_secret'],
    again: (id, { access }) => apps.get(id, access),
    handler: async ({ params, body, access }) => {
      const { _previousValidForSec: previousValidForSec, _endTokens: endTokens } = body;
      const { app, secret } = await apps.replaceSecret(params.id, { previousValidForSec, endTokens }, access);
      const { _configs, ...shown } = app;
      return ok({ ...shown, _secret: secret }, { 'cache-control': 'no-store' });
    },
  }),
  route.delete('/:id', {
    operation: 'apps.delete',
    summary:
      'Delete an app. Its tokens, sign-ins and consents, and all permissions in its namespaces, end immediately.',
    description: 'Owners and administrators need no permission.',
    errors: [errors.trustedApp, errors.platformApp],
    needs: documents({ rule: 'resource', action: 'DELETE', resource: 'passportsvc:app' }),
    params: AppParams,
    responses: { 204: null },
    ifMatch: true,
    handler: async ({ params, access, precondition }) => {
      await apps.remove(params.id, access, precondition);
      return noContent();
    },
  }),
];
