import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { freePort, repoRoot, runNode, serveNode } from '@dtplatform/stack';
import type { Bench } from './bench.js';
import { runProgram } from './child.js';
import type { SeedUsers } from './load/seed-users.js';

/** A separate passportsvc with its own database, whose users are all in one organization. */
export interface ManyUsers {
  url: string;
  pid: number;
  /** An access token of the organization's app. */
  token: string;
  users: number;
}

const ORG_ID = 'many-users';

const started = new WeakMap<Bench, Map<number, Promise<ManyUsers>>>();

/** Started once for each number of users. */
export function manyUsers(bench: Bench, users: number): Promise<ManyUsers> {
  const ofBench = started.get(bench) ?? new Map<number, Promise<ManyUsers>>();
  started.set(bench, ofBench);
  const running = ofBench.get(users) ?? start(bench, users);
  ofBench.set(users, running);
  return running;
}

async function start(bench: Bench, users: number): Promise<ManyUsers> {
  const { stateDir } = bench;
  const [name, port] = [`passportsvc-${users}`, await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const app = { orgId: ORG_ID, appId: 'many-users-app', appSecret: secret() };
  const env = environment(bench, { baseUrl, port, database: `bench_users_${users}`, app });
  const seed: SeedUsers = { mongoUrl: env.MONGO_URL, database: env.MONGO_DB, orgId: ORG_ID, users };
  // Before the migration creates the indexes: building each once is faster than inserting into it.
  await runProgram('load/seed-users', seed);
  const program = (file: string) => path.join(repoRoot, 'services', 'passportsvc', 'dist', `${file}.js`);
  const common = { env, stateDir, signal: new AbortController().signal };
  await runNode({ ...common, name: `${name}-migrate`, program: program('migrate') });
  const { pid, stop } = await serveNode({ ...common, name, program: program('main') });
  bench.atEnd(stop);
  return { url: baseUrl, pid, users, token: await tokenOf(baseUrl, app) };
}

const secret = () => randomBytes(24).toString('base64url');

interface Place {
  baseUrl: string;
  port: number;
  database: string;
  app: { orgId: string; appId: string; appSecret: string };
}

function environment({ stack, serviceOf }: Bench, { baseUrl, port, database, app }: Place) {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  return {
    ...env,
    ...{ NODE_ENV: 'production', LOG_LEVEL: 'info', HOST: '127.0.0.1', PORT: String(port), BASE_URL: baseUrl },
    ...{ MONGO_URL: stack.backends.mongoUrl, MONGO_DB: database, REDIS_URL: stack.backends.redisUrl },
    OAUTH_ISSUER: `${baseUrl}/passportsvc/api/v1/oauth`,
    JWKS_URL: `${baseUrl}/passportsvc/api/v1/oauth/jwks`,
    TOKEN_URL: `${baseUrl}/passportsvc/api/v2/oauth/token`,
    OBJECTMODELSVC_URL: serviceOf('objectmodelsvc').url,
    ITEMSVC_URL: serviceOf('itemsvc').url,
    FILESVC_URL: serviceOf('filesvc').url,
    ...{ SERVICE_CLIENT_ID: 'services', SERVICE_CLIENT_SECRET: secret() },
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...{ BOOTSTRAP_ADMIN_PASSWORD: secret(), BOOTSTRAP_APP_SECRET: secret() },
    BOOTSTRAP_DEV: JSON.stringify({ second: app, shortLived: { appId: 'short-lived', appSecret: secret() } }),
  };
}

async function tokenOf(baseUrl: string, { appId, appSecret }: Place['app']): Promise<string> {
  const basic = Buffer.from(`${appId}:${appSecret}`).toString('base64');
  const response = await fetch(`${baseUrl}/passportsvc/api/v1/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new Error(`The token endpoint of ${baseUrl} answered ${response.status}.`);
  return token;
}
