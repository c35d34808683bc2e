import { z } from 'zod';
import { App, entriesOf, ShownApp } from '../../domain/apps/app.js';

const { _id, _shortName, _redirectUris, _whitelistedApps, _configs } = App.shape;

/** Limits may be sent as numbers. */
const Limit = z.union([z.string(), z.number()]).transform(String).pipe(_configs.valueType);

export const CreateAppBody = App.pick({ _name: true, _userType: true, _orgId: true }).extend({
  _appOwner: z.string().min(1).max(320),
  _redirectUris: _redirectUris.refine((list) => entriesOf(list).length > 0, 'must hold at least one URI'),
  _shortName: _shortName.optional(),
  _whitelistedApps: _whitelistedApps.default([]),
  _configs: z.partialRecord(_configs.keyType, Limit).default({}),
});

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
