import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { ensureIndexes } from '@dtplatform/mongo';
import { connectRedis } from '@dtplatform/redis';
import { createGrantTable, testEnvironment } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config, MigrationConfig } from '../src/config.js';
import { bootstrapDatabase, createDeps } from '../src/deps.js';
import { writePendingGrants } from '../src/jobs/write-pending-grants.job.js';
import { schema } from '../src/store/schema.js';

export const REDIRECT_URI = 'http://127.0.0.1:9/callback';
const secret = () => randomBytes(24).toString('base64url');

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/**
 * Starts the real application on its own database, filled by the real bootstrap.
 * @param replicaOf another application that shares its database and URLs
 */
export async function startApp(environment: Record<string, string> = {}, replicaOf?: { env: NodeJS.ProcessEnv }) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ownUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = replicaOf?.env ?? newEnvironment(ownUrl, environment);

  const config = loadConfig(Config, env);
  const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
  const lifecycle = createLifecycle({ log, graceMs: 5000 });
  const redis = await connectRedis({ url: config.REDIS_URL, kind: 'cache', log });
  lifecycle.onStop('redis of the test', () => redis.close());
  const grants = createGrantTable(redis.client);
  const deps = await createDeps(config, { log, lifecycle }, { grants });
  const printed: string[] = [];
  const migrate = async (more: Record<string, string> = {}) => {
    await ensureIndexes(deps.mongo, schema.models, log);
    await bootstrapDatabase(deps.mongo, loadConfig(MigrationConfig, { ...env, ...more }), (text) => printed.push(text));
  };
  if (!replicaOf) await migrate();
  writePendingGrants(deps);
  server.on('request', createApp(deps));

  return {
    env,
    deps,
    server,
    printed,
    migrate,
    url: ownUrl,
    grants,
    api: supertest(server),
    trusted: { id: env.BOOTSTRAP_APP_ID!, secret: env.BOOTSTRAP_APP_SECRET! },
    admin: { userName: env.BOOTSTRAP_ADMIN_EMAIL!, password: env.BOOTSTRAP_ADMIN_PASSWORD! },
    orgId: env.BOOTSTRAP_ORG_ID!,
    dev: JSON.parse(env.BOOTSTRAP_DEV!) as DevApps,
    async stop() {
      if (!replicaOf) await deps.mongo.db.dropDatabase();
      await lifecycle.stop('the test has finished');
      await close(server);
    },
  };
}

interface DevApps {
  second: { orgId: string; appId: string; appSecret: string };
  shortLived: { appId: string; appSecret: string };
}

const newEnvironment = (baseUrl: string, more: Record<string, string>) =>
  testEnvironment('passportsvc', {
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
      second: { orgId: 'second-org', appId: 'second-app', appSecret: secret() },
      shortLived: { appId: 'short-lived-app', appSecret: secret() },
    }),
    ...more,
  });

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
