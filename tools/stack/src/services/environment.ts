import type { Backends } from '../backends/types.js';
import type { DevSettings } from '../state/dev-settings.js';
import type { ServiceEntry } from './catalogue.js';

export interface Surroundings {
  baseUrl: string;
  backends: Backends;
  settings: DevSettings;
  smtpUrl: string;
  /** The API port of each service, by name. */
  ports: ReadonlyMap<string, number>;
  env: NodeJS.ProcessEnv;
}

export const SHUTDOWN_GRACE_MS = 8_000;

/** The environment of a service's processes, without `PORT` and `ADMIN_PORT`, which differ for each process. */
export function environmentOf({ name, openApi }: ServiceEntry, around: Surroundings): NodeJS.ProcessEnv {
  const { baseUrl, backends, settings, smtpUrl, ports, env } = around;
  const common = {
    ...withoutOurs(env),
    NODE_ENV: 'production',
    LOG_LEVEL: env.LOG_LEVEL ?? 'info',
    HOST: '127.0.0.1',
    SHUTDOWN_GRACE_MS: String(SHUTDOWN_GRACE_MS),
    BASE_URL: baseUrl,
  };
  // The site needs nothing else.
  if (openApi === undefined) return common;
  const passportUrl = `http://127.0.0.1:${ports.get('passportsvc')}/passportsvc/api`;
  return {
    ...common,
    CORS_ORIGINS: env.CORS_ORIGINS ?? 'http://localhost:*,http://127.0.0.1:*',
    // Components under development run on this machine, too.
    EGRESS_ALLOW: env.EGRESS_ALLOW ?? '127.0.0.1,::1',
    CALL_URL_HOSTS: env.CALL_URL_HOSTS ?? '127.0.0.1,::1',
    ...backendSettings(name, backends),
    OAUTH_ISSUER: `${baseUrl}/passportsvc/api/v1/oauth`,
    JWKS_URL: `${passportUrl}/v1/oauth/jwks`,
    TOKEN_URL: `${passportUrl}/v2/oauth/token`,
    SERVICE_CLIENT_ID: settings.serviceClient.id,
    SERVICE_CLIENT_SECRET: settings.serviceClient.secret,
    ...Object.fromEntries([...ports].map(([of, port]) => [`${of.toUpperCase()}_URL`, `http://127.0.0.1:${port}`])),
    SMTP_URL: smtpUrl,
    MAIL_FROM: env.MAIL_FROM ?? 'dtplatform <no-reply@dtplatform.local>',
    ...(name === 'passportsvc' ? { ...keySettings(settings), ...bootstrapSettings(settings) } : {}),
  };
}

const backendSettings = (name: string, { mongoUrl, redisUrl, s3 }: Backends) => ({
  MONGO_URL: mongoUrl,
  MONGO_DB: `dtplatform_${name}`,
  REDIS_URL: redisUrl,
  S3_ENDPOINT: s3.endpoint,
  S3_REGION: s3.region,
  S3_ACCESS_KEY: s3.accessKey,
  S3_SECRET_KEY: s3.secretKey,
  S3_BUCKET: `dtplatform-${name}`,
});

/** Settings of the stack for `npm run admin`. */
export const adminSettings = (backends: Backends, settings: DevSettings) => {
  const { MONGO_URL, MONGO_DB, REDIS_URL } = backendSettings('passportsvc', backends);
  return { MONGO_URL, MONGO_DB, REDIS_URL, SERVICE_CLIENT_ID: settings.serviceClient.id, ...keySettings(settings) };
};

/** Settings of the stack for `npm run backup`. Bucket and databases have the default prefixes. */
export const backupSettings = (backends: Backends): Record<string, string> => {
  const { MONGO_DB: _database, S3_BUCKET: _bucket, ...settings } = backendSettings('filesvc', backends);
  return settings;
};

/** `previousKeyEncryptionKey` is set only while the key is being rotated. */
const keySettings = ({ keyEncryptionKey, previousKeyEncryptionKey }: DevSettings) => ({
  KEY_ENCRYPTION_KEY: keyEncryptionKey,
  ...(previousKeyEncryptionKey !== undefined && { KEY_ENCRYPTION_KEY_PREVIOUS: previousKeyEncryptionKey }),
});

/** Objects that passportsvc creates on its first start. */
const bootstrapSettings = ({ orgId, appId, appSecret, redirectUri, admin, ...more }: DevSettings) => ({
  BOOTSTRAP_ORG_ID: orgId,
  BOOTSTRAP_ADMIN_EMAIL: admin.email,
  BOOTSTRAP_ADMIN_PASSWORD: admin.password,
  BOOTSTRAP_APP_ID: appId,
  BOOTSTRAP_APP_SECRET: appSecret,
  BOOTSTRAP_REDIRECT_URI: redirectUri,
  BOOTSTRAP_DEV: JSON.stringify({ second: more.second, shortLived: more.shortLived }),
});

/** Passes the user's settings on to the services, except those for this program or a test runner around it. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, JEST_WORKER_ID: _worker, PORT: _port, ...rest } = env;
  return rest;
}
