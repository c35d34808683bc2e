import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { App, AppChange, entriesOf, ShownApp } from '../../domain/apps/app.js';
import { oneOf, textQuery } from '../list-parameters.js';

const { _id, _shortName, _redirectUris, _whitelistedApps, _configs } = App.shape;

/** Limits may be sent as numbers. */
const Limit = z
  .union([_configs.valueType, z.int().min(0).max(999_999_999)], 'must be a whole number')
  .transform(String);
export const ConfigsBody = z.partialRecord(_configs.keyType, Limit).meta({
  id: 'AppConfigsInput',
  description: 'Limits on what is created through an app: whole numbers of up to 9 digits, as numbers or texts.',
});

const SomeRedirectUris = _redirectUris.refine((list) => entriesOf(list).length > 0, 'must hold at least one URI');

export const CreateAppBody = App.pick({ _name: true, _userType: true, _orgId: true })
  .extend({
    _appOwner: z
      .string()
      .min(1)
      .max(320)
      .describe('The e-mail address of a user of the organization, who may then do everything with the app.'),
    _redirectUris: SomeRedirectUris,
    _shortName: _shortName
      .optional()
      .describe('The short name of the app, unique on the platform; `_name` by default.'),
    _whitelistedApps: _whitelistedApps.default([]),
    _configs: ConfigsBody.default({}),
  })
  .meta({ id: 'NewApp', description: 'An app to register.' });

export const ChangeAppBody = AppChange.extend({ _redirectUris: SomeRedirectUris }).meta({
  id: 'AppChange',
  description: 'New values of an app. Fields that are not required change only if they are sent.',
});

export const ListAppsQuery = z.object({
  ...pagingParameters(),
  _name: oneOf('name'),
  _userType: oneOf('type'),
  _shortName: oneOf('short name'),
  _orgId: oneOf('organization id'),
  query: textQuery('name or short name'),
});
export const AppPage = pageOf(ShownApp).meta({
  id: 'AppPage',
  description: 'A page of apps, without their configurations.',
});

/** The use case's form of the query. */
export function appQueryOf({ _name, _userType, _shortName, _orgId, query: text }: z.infer<typeof ListAppsQuery>) {
  const fields = {
    ...(_name && { _name }),
    ...(_userType && { _userType }),
    ...(_shortName && { _shortName }),
    ...(_orgId && { _orgId }),
  };
  return { fields, text };
}

export const OriginList = z
  .object({
    _list: z.array(z.string()).describe('The origins as browsers send them, such as `https://app.example.com`.'),
  })
  .meta({ id: 'AuthorizedOrigins', description: 'The origins whose pages may call the platform from a browser.' });

export const AppConfigParams = z.object({ appId: _id });
export const AppParams = z.object({ id: _id });

/** A string by contract (docs/contract.md, "Applications"): any value but `false`, in any letter case, counts as true. */
export const GetAppQuery = z.object({
  withConfigs: z
    .string()
    .optional()
    .transform((text) => text !== undefined && text.toLowerCase() !== 'false')
    .describe('Whether the reply has `_configs`: with any value but `false` it does, and by default it does not.'),
});

export const CreatedApp = ShownApp.extend({
  _secret: z
    .string()
    .optional()
    .describe(
      'The secret of the app, its `client_secret`. The repeated reply to an `Idempotency-Key` does not have it.',
    ),
}).meta({ id: 'CreatedApp', description: 'A new app with its secret, which is returned only here.' });
