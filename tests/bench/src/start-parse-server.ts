import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { cached, runCommand } from '@dtplatform/stack';
import type { Server } from './child.js';
import type { Bench } from './bench.js';
import type { ParseServer } from './references/parse-server.js';

/** Installed on demand, in the user's cache: its hundreds of dependencies are needed nowhere else. */
const VERSION = '9.10.0';

export const PARSE_HEADERS = { 'x-parse-application-id': 'bench', 'x-parse-master-key': 'bench-master-key' };

/** Starts parse-server with a separate database. */
export async function startParseServer({ stack, serve }: Bench): Promise<Server> {
  const dir = await cached(cacheDir(), `parse-server-${VERSION}`, install);
  const databaseUri = new URL(stack.backends.mongoUrl);
  databaseUri.pathname = '/bench_parse_server';
  return serve('references/parse-server', {
    ...{ dir, databaseUri: databaseUri.href },
    ...{ appId: PARSE_HEADERS['x-parse-application-id'], masterKey: PARSE_HEADERS['x-parse-master-key'] },
  } satisfies ParseServer);
}

const cacheDir = () => path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'dtplatform', 'bench');

async function install(dir: string): Promise<void> {
  await writeFile(path.join(dir, 'package.json'), JSON.stringify({ private: true }));
  const options = ['--omit=dev', '--omit=optional', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  await runCommand('npm', ['install', ...options, `parse-server@${VERSION}`], { cwd: dir });
}
