import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { App, AppChange, entriesOf, ShownApp } from '../../domain/apps/app.js';
import { glob, repeated } from '../list-parameters.js';

const { _id, _shortName, _redirectUris, _whitelistedApps, _configs } = App.shape;

/** Limits may be sent as numbers. */
const Limit = z.union([z.string(), z.number()]).transform(String).pipe(_configs.valueType);
export const ConfigsBody = z.partialRecord(_configs.keyType, Limit);

const SomeRedirectUris = _redirectUris.refine((list) => entriesOf(list).length > 0, 'must hold at least one URI');

export const CreateAppBody = App.pick({ _name: true, _userType: true, _orgId: true }).extend({
  _appOwner: z.string().min(1).max(320),
  _redirectUris: SomeRedirectUris,
  _shortName: _shortName.optional(),
  _whitelistedApps: _whitelistedApps.default([]),
  _configs: ConfigsBody.default({}),
});

export const ChangeAppBody = AppChange.extend({ _redirectUris: SomeRedirectUris });

export const ListAppsQuery = z.object({
  ...pagingParameters(),
  _name: repeated.optional(),
  _userType: repeated.optional(),
  _shortName: repeated.optional(),
  _orgId: repeated.optional(),
  query: glob.optional(),
});
export const AppPage = pageOf(ShownApp);

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

export const OriginList = z.object({ _list: z.array(z.string()) });

export const AppConfigParams = z.object({ appId: _id });
export const AppParams = z.object({ id: _id });

/** A string by contract (docs/contract.md, "Applications"): any value but `false` counts as true. */
export const GetAppQuery = z.object({
  withConfigs: z
    .string()
    .optional()
    .transform((text) => text !== undefined && text !== 'false'),
});

/** The stored reply for a repeated `Idempotency-Key` does not contain the secret. */
export const CreatedApp = ShownApp.extend({ _secret: z.string().optional() });
