import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { repoRoot } from '../repo-root.js';
import { SERVICES } from '../services/catalogue.js';
import { readJson } from '../state/json-file.js';

const settingsFile = path.join(repoRoot, '.dtplatform', 'admin.json');

/** Runs passportsvc's administration program with the settings of the local stack. */
async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const settings = await readJson<NodeJS.ProcessEnv>(settingsFile);
  if (settings === undefined && args.length > 0 && !args.includes('--help'))
    throw new Error(`${settingsFile} is not there: start the stack with "npm start" first`);
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { programs } = SERVICES.find(({ name }) => name === 'passportsvc')!;
  const program = path.join(programs, 'admin.js');
  const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], {
    env: { ...env, ...settings },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  process.exitCode = code ?? 1;
}

main().catch((error: unknown) => {
  console.error(`admin: ${(error as Error).message}`);
  process.exitCode = 2;
});
