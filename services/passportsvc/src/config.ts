import { z } from 'zod';
import {
  commaSeparated,
  httpSettings,
  httpUrl,
  mongoSettings,
  processSettings,
  redisSettings,
  wholeNumber,
} from '@dtplatform/config';
import { egressSettings } from '@dtplatform/egress';
import { migrationSettings, serviceSettings } from '@dtplatform/runtime';
import { App, isRedirectUri, REDIRECT_URI_RULE } from './directory/apps/app.js';

/** Must be the same for the service and its migration. */
const keySettings = {
  KEY_ENCRYPTION_KEY: z.string().min(32),
  /** The previous key during a key change; decrypts only. */
  KEY_ENCRYPTION_KEY_PREVIOUS: z.string().min(32).optional(),
  /** Algorithm of new signing keys. The migration rotates the keys after a change. */
  TOKEN_ALG: z.enum(['ES256', 'RS256']).default('ES256'),
  /**
   * How long a new signing key is published before it signs. Must exceed the time that verifiers cache the published
   * keys: ten minutes in services (libs/jwt), five minutes elsewhere (`Cache-Control` of the JWKS).
   */
  SIGNING_KEY_LEAD_SEC: wholeNumber(1).default(20 * 60),
};

const tokenSettings = {
  ACCESS_TOKEN_TTL_SEC: wholeNumber(1).default(60 * 60),
};

/** A proxy range in Express's syntax. Rejects a range of all addresses: any caller could then spoof its address. */
const ProxyRange = z.union([
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
  z.ipv4(),
  z.ipv6(),
  z.union([z.cidrv4(), z.cidrv6()]).refine((range) => !/\/0+$/.test(range)),
]);

const DAY_SEC = 24 * 60 * 60;

export const keyTimesOf = (config: { SIGNING_KEY_LEAD_SEC: number; ACCESS_TOKEN_TTL_SEC: number }) => ({
  leadMs: config.SIGNING_KEY_LEAD_SEC * 1000,
  tokenTtlMs: config.ACCESS_TOKEN_TTL_SEC * 1000,
});

export const issuerOf = (baseUrl: string): string => `${baseUrl}/passportsvc/api/v1/oauth`;

export const Config = z
  .object({
    ...serviceSettings,
    ...keySettings,
    ...egressSettings,
    ...tokenSettings,
    ITEMSVC_URL: httpUrl,
    FILESVC_URL: httpUrl,
    /** How long entries stay in the audit log. */
    AUDIT_RETENTION_DAYS: wholeNumber(1, 3650).default(365),
    /** Restarts with each refresh. */
    REFRESH_TOKEN_TTL_SEC: wholeNumber(1).default(14 * DAY_SEC),
    /** Proxies whose `X-Forwarded-For` is trusted: addresses, ranges (CIDR) or Express's names; `none` for none. */
    TRUSTED_PROXIES: commaSeparated
      .transform((ranges) => ranges.filter((range) => range !== 'none'))
      .refine(
        (ranges) => ranges.every((range) => ProxyRange.safeParse(range).success),
        'must contain addresses, ranges (CIDR) or loopback, linklocal, uniquelocal',
      )
      .default(['loopback', 'linklocal', 'uniquelocal']),
  })
  .refine(({ BASE_URL, OAUTH_ISSUER }) => OAUTH_ISSUER === issuerOf(BASE_URL), {
    path: ['OAUTH_ISSUER'],
    message: 'must be BASE_URL followed by /passportsvc/api/v1/oauth',
  })
  // An authorization is stored for as long as it can be refreshed. Its access tokens must not outlive it: they could not be revoked.
  .refine(({ ACCESS_TOKEN_TTL_SEC, REFRESH_TOKEN_TTL_SEC }) => REFRESH_TOKEN_TTL_SEC >= ACCESS_TOKEN_TTL_SEC, {
    path: ['REFRESH_TOKEN_TTL_SEC'],
    message: 'must not be less than ACCESS_TOKEN_TTL_SEC',
  });
export type Config = z.infer<typeof Config>;

export const WorkerConfig = z
  .object({
    ...processSettings,
    ...mongoSettings,
    ...redisSettings,
    ...keySettings,
    ...egressSettings,
    /** How long the worker retries delivering a user to a SCIM server. */
    SCIM_DELIVERY_GIVE_UP_SEC: wholeNumber(1).default(3 * DAY_SEC),
    ...tokenSettings,
    /** Age of the newest signing key that triggers a rotation; 0 for never. */
    SIGNING_KEY_ROTATION_DAYS: wholeNumber(0, 3650).default(90),
    /** The mail server, with credentials if required. Without it, mails stay queued. */
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\/[^\s/]/, 'must start with smtp:// or smtps://')
      .optional(),
    /** The sender of all mails, such as `Twins <no-response@example.com>`. */
    MAIL_FROM: z
      .string()
      .max(320)
      .regex(/^([^<>@\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u, 'must be an email address')
      .optional(),
  })
  .refine(({ SMTP_URL, MAIL_FROM }) => SMTP_URL === undefined || MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    message: 'is required with SMTP_URL',
  });
export type WorkerConfig = z.infer<typeof WorkerConfig>;

const AppId = App.shape._id;
const AppSecret = z.string().min(16);
const AppCredentials = z.object({ appId: AppId, appSecret: AppSecret });

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

/** What the first start creates. Generates absent values and prints them once. */
export const MigrationConfig = z.object({
  ...migrationSettings,
  ...keySettings,
  ...tokenSettings,
  /** The trusted app for calls between services. The migration updates its secret. */
  SERVICE_CLIENT_ID: AppId,
  SERVICE_CLIENT_SECRET: AppSecret,
  /** The console, whose pages are below it, redirects there. */
  BASE_URL: httpSettings.BASE_URL,
  BOOTSTRAP_ORG_ID: z.string().min(1).max(64).optional(),
  BOOTSTRAP_ADMIN_EMAIL: z.string().trim().pipe(z.email()).default('admin@dtplatform.local'),
  BOOTSTRAP_ADMIN_PASSWORD: z.string().min(8).optional(),
  BOOTSTRAP_APP_ID: AppId.default('administration'),
  BOOTSTRAP_APP_SECRET: AppSecret.optional(),
  BOOTSTRAP_REDIRECT_URI: commaSeparated
    .refine((uris) => uris.every(isRedirectUri), REDIRECT_URI_RULE)
    .default(['http://localhost:3000/callback']),
  /**
   * Development only: `{second: {orgId, appId, appSecret}, shortLived: {appId, appSecret}}`, a second organization with
   * an untrusted app, and an app whose access tokens live 2 seconds.
   */
  BOOTSTRAP_DEV: json
    .pipe(z.object({ second: AppCredentials.extend({ orgId: z.string().min(1) }), shortLived: AppCredentials }))
    .optional(),
});
export type MigrationConfig = z.infer<typeof MigrationConfig>;

export const AdminConfig = z.object({
  ...mongoSettings,
  ...redisSettings,
  ...keySettings,
  ...tokenSettings,
  SERVICE_CLIENT_ID: AppId.optional(),
});
export type AdminConfig = z.infer<typeof AdminConfig>;
