import path from 'node:path';
import { freePort, repoRoot, runNode, serveNode } from '@dtplatform/stack';
import type { Bench } from './bench.js';
import { runProgram } from './child.js';

interface OwnService {
  service: string;
  /** The program, below the root of the repository. */
  main: string;
  database: string;
  /** A program that fills the database, and its argument. */
  seed: readonly [program: string, argument: object];
  env: (url: string) => Record<string, string>;
}

/** Starts a separate process of a service, with its own database, until the bench ends. */
export async function startOwnService(
  { stack, stateDir, serviceOf, atEnd }: Bench,
  { service, main, database, seed: [program, argument], env: more }: OwnService,
): Promise<{ url: string; pid: number }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { NODE_OPTIONS: _options, ...inherited } = process.env;
  const { mongoUrl, redisUrl } = stack.backends;
  const env = {
    ...inherited,
    ...{ NODE_ENV: 'production', LOG_LEVEL: 'info', HOST: '127.0.0.1', PORT: String(port) },
    ...{ MONGO_URL: mongoUrl, MONGO_DB: database, REDIS_URL: redisUrl },
    ...{ OBJECTMODELSVC_URL: serviceOf('objectmodelsvc').url, FILESVC_URL: serviceOf('filesvc').url },
    ...more(url),
  };
  // Before the migration creates the indexes: building each once is faster than inserting into it.
  await runProgram(program, { mongoUrl, database, ...argument });
  const common = { env, stateDir, signal: new AbortController().signal };
  const migrate = path.join(repoRoot, 'services', service, 'dist', 'migrate.js');
  await runNode({ ...common, name: `${database}-migrate`, program: migrate });
  const { pid, stop } = await serveNode({ ...common, name: database, program: path.join(repoRoot, main) });
  atEnd(stop);
  return { url, pid };
}

/** Remembers what was started for each number of documents. */
export function oncePerCount<T>(start: (bench: Bench, count: number) => Promise<T>) {
  const started = new Map<number, Promise<T>>();
  return (bench: Bench, count: number): Promise<T> => {
    const running = started.get(count) ?? start(bench, count);
    started.set(count, running);
    return running;
  };
}
