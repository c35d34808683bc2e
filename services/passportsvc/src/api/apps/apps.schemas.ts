import { z } from 'zod';
import { CONFIG_KEYS, entriesOf, isRedirectUri } from '../../domain/app.js';

const RedirectUris = z
  .string()
  .max(4096)
  .refine((list) => entriesOf(list).length > 0, 'must hold at least one URI')
  .refine(
    (list) => entriesOf(list).every(isRedirectUri),
    'must hold absolute URIs without a fragment, comma-separated',
  );

const Limit = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,9}$/, 'must be a whole number'));

/** An unknown key is refused (contract: Application configs). */
const Configs = z.partialRecord(z.enum(Object.keys(CONFIG_KEYS) as (keyof typeof CONFIG_KEYS)[]), Limit);

const Name = z.string().trim().min(1).max(128);

export const CreateAppBody = z.object({
  _name: Name,
  _appOwner: z.string().min(1).max(320),
  _redirectUris: RedirectUris,
  _orgId: z.string().min(1).max(64),
  _userType: z.string().max(128).optional(),
  _shortName: Name.optional(),
  _whitelistedApps: z.array(z.string().max(64)).max(100).default([]),
  _configs: Configs.default({}),
});
export type CreateAppBody = z.infer<typeof CreateAppBody>;

export const AppParams = z.object({ id: z.string().max(64) });
export type AppParams = z.infer<typeof AppParams>;

/** The contract types it as a string: it counts when it is there and says anything but false. */
export const GetAppQuery = z.object({
  withConfigs: z
    .string()
    .optional()
    .transform((text) => text !== undefined && text !== 'false'),
});
export type GetAppQuery = z.infer<typeof GetAppQuery>;

/** Application (contract: Application). */
export const AppReply = z.object({
  _id: z.string(),
  _name: z.string(),
  _shortName: z.string(),
  _userType: z.string().optional(),
  _orgId: z.string(),
  _authorizedGrantTypes: z.string(),
  _redirectUris: z.string(),
  _authorizedOrigins: z.string().optional(),
  _namespaces: z.array(z.string()),
  _whitelistedApps: z.array(z.string()),
  _loginTheme: z.string().optional(),
  _home: z.string().optional(),
  _metadata: z.object({ _createdAt: z.number(), _updatedAt: z.number(), _updatedById: z.string() }),
  _configs: z.record(z.string(), z.string()).optional(),
});
/** A repetition with the same `Idempotency-Key` does not show the secret again. */
export const CreatedAppReply = AppReply.extend({ _secret: z.string().optional() });
