import path from 'node:path';
import { freePort, repoRoot, runNode, serveNode } from '@dtplatform/stack';
import type { Bench } from './bench.js';
import { runProgram } from './child.js';
import type { SeedItems } from './load/seed-items.js';

/** A separate itemsvc without authentication, with its own database. */
export interface ManyItems {
  url: string;
  pid: number;
  namespace: string;
  items: number;
}

const NAMESPACE = 'many_items';

const started = new WeakMap<Bench, Map<number, Promise<ManyItems>>>();

/** Started once for each number of items. */
export function manyItems(bench: Bench, items: number): Promise<ManyItems> {
  const ofBench = started.get(bench) ?? new Map<number, Promise<ManyItems>>();
  started.set(bench, ofBench);
  const running = ofBench.get(items) ?? start(bench, items);
  ofBench.set(items, running);
  return running;
}

async function start(bench: Bench, items: number): Promise<ManyItems> {
  const { stateDir } = bench;
  const [name, port] = [`itemsvc-${items}`, await freePort()];
  const env = environment(bench, port, `bench_items_${items}`);
  const seed: SeedItems = { mongoUrl: env.MONGO_URL, database: env.MONGO_DB, namespace: NAMESPACE, items };
  // Before the migration creates the indexes: building each once is faster than inserting into it.
  await runProgram('load/seed-items', seed);
  const common = { env, stateDir, signal: new AbortController().signal };
  const migrate = path.join(repoRoot, 'services', 'itemsvc', 'dist', 'migrate.js');
  await runNode({ ...common, name: `${name}-migrate`, program: migrate });
  const open = path.join(repoRoot, 'tests', 'bench', 'dist', 'references', 'open-itemsvc', 'main.js');
  const { pid, stop } = await serveNode({ ...common, name, program: open });
  bench.atEnd(stop);
  return { url: `http://127.0.0.1:${port}`, pid, namespace: NAMESPACE, items };
}

function environment({ stack, serviceOf }: Bench, port: number, database: string) {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const passportsvc = serviceOf('passportsvc').url;
  return {
    ...env,
    ...{ NODE_ENV: 'production', LOG_LEVEL: 'info', HOST: '127.0.0.1', PORT: String(port), BASE_URL: stack.baseUrl },
    ...{ MONGO_URL: stack.backends.mongoUrl, MONGO_DB: database, REDIS_URL: stack.backends.redisUrl },
    OAUTH_ISSUER: `${stack.baseUrl}/passportsvc/api/v1/oauth`,
    JWKS_URL: `${passportsvc}/passportsvc/api/v1/oauth/jwks`,
    TOKEN_URL: `${passportsvc}/passportsvc/api/v2/oauth/token`,
    OBJECTMODELSVC_URL: serviceOf('objectmodelsvc').url,
    PASSPORTSVC_URL: passportsvc,
    FILESVC_URL: serviceOf('filesvc').url,
    ...{ SERVICE_CLIENT_ID: 'services', SERVICE_CLIENT_SECRET: 'nothing asks for a token here' },
  };
}
