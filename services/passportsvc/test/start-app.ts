import { randomBytes, scryptSync } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { loadConfig } from '@dtplatform/config';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import { startService } from '@dtplatform/testing';
import { Config, MigrationConfig, WorkerConfig } from '../src/config.js';
import { bootstrapDatabase, createApp, createDeps, createWorkerDeps, service as passportsvc } from '../src/service.js';
import { startSweeps } from '../src/start-sweeps.js';

export const REDIRECT_URI = 'http://127.0.0.1:9/callback';
const secret = () => randomBytes(24).toString('base64url');

/** Minutes in production. */
const redelivery = { checkAfterMs: 500, maxCheckAfterMs: 1_000 };
/** 15 seconds in production. */
const remindEveryMs = 1_000;

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** Runs the application during the tests of a file or `describe`. */
export function useApp(environment?: Record<string, string>): TestApp {
  const app = {} as TestApp;
  beforeAll(async () => void Object.assign(app, await startApp(environment)));
  afterAll(() => app.stop());
  return app;
}

/** Starts the real application on its own database, filled by the real bootstrap. @param log a logger of the test */
export async function startApp(environment: Record<string, string> = {}, log?: Logger) {
  const service = await startService({
    ...passportsvc,
    Config,
    createApp,
    createDeps: ({ config, sources: { grants }, ...context }) =>
      createDeps(config, { ...context, ...(log && { log }) }, { grants, queuePrefix: config.MONGO_DB }),
    environment: (url) => newEnvironment(url, environment),
    async startWorker(process, options) {
      const deps = await createWorkerDeps(loadConfig(WorkerConfig, process.env), process);
      return passportsvc.startJobs(deps, { ...options, redelivery });
    },
  });
  const { env, mongo, deps } = service;
  const dev = JSON.parse(env.BOOTSTRAP_DEV!) as Record<'second' | 'shortLived', Parameters<typeof credentialsOf>[0]>;
  const printed: string[] = [];
  const migrate = (more: Record<string, string> = {}) =>
    bootstrapDatabase(mongo, loadConfig(MigrationConfig, { ...env, ...more }), (text) => printed.push(text));
  await migrate();
  await setQuickPassword(service, { _admin: true }, env.BOOTSTRAP_ADMIN_PASSWORD!);
  startSweeps(deps, { remindEveryMs });

  const send = (
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    authorization: string,
    body?: unknown,
  ) => {
    const request = service.api[method](path).set({ authorization });
    return body === undefined ? request : request.send(body as object);
  };

  return {
    ...service,
    send,
    printed,
    migrate,
    trusted: { id: env.BOOTSTRAP_APP_ID!, secret: env.BOOTSTRAP_APP_SECRET! },
    admin: { userName: env.BOOTSTRAP_ADMIN_EMAIL!, password: env.BOOTSTRAP_ADMIN_PASSWORD! },
    orgId: env.BOOTSTRAP_ORG_ID!,
    /** Untrusted, in another organization. */
    second: { ...credentialsOf(dev.second), orgId: 'second-org' },
    /** Untrusted; its tokens are valid for two seconds. */
    shortLived: credentialsOf(dev.shortLived),
  };
}

/** Sets a password with a cheap hash; each hash stores its cost parameters. */
export async function setQuickPassword({ mongo }: { mongo: Mongo }, user: object, password: string): Promise<void> {
  const [log2N, r, p, salt] = [4, 8, 1, randomBytes(16)];
  const hash = scryptSync(password, salt, 32, { N: 2 ** log2N, r, p });
  const _passwordHash = ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
  await mongo.db.collection('users').updateOne(user, { $set: { _passwordHash } });
}

const credentialsOf = ({ appId: id, appSecret: secret }: { appId: string; appSecret: string }) => ({ id, secret });

/** Unique: Redis, which is shared, holds rejections of apps by id. */
const appId = (name: string) => `${name}-${randomBytes(4).toString('hex')}`;

const newEnvironment = (baseUrl: string, more: Record<string, string>) => ({
  BASE_URL: baseUrl,
  OAUTH_ISSUER: `${baseUrl}/passportsvc/api/v1/oauth`,
  KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  BOOTSTRAP_ORG_ID: 'platform-org',
  BOOTSTRAP_ADMIN_EMAIL: 'Admin@Platform.test',
  BOOTSTRAP_ADMIN_PASSWORD: secret(),
  BOOTSTRAP_APP_ID: 'administration',
  BOOTSTRAP_APP_SECRET: secret(),
  BOOTSTRAP_REDIRECT_URI: REDIRECT_URI,
  BOOTSTRAP_DEV: JSON.stringify({
    second: { orgId: 'second-org', appId: appId('second-app'), appSecret: secret() },
    shortLived: { appId: appId('short-lived-app'), appSecret: secret() },
  }),
  ...more,
});
