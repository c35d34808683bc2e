import path from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { repoRoot } from '../repo-root.js';
import type { DevJson } from '../state/dev-settings.js';
import { readJson } from '../state/json-file.js';
import { runTour } from './index.js';

const USAGE = `npm run tour [-- --base-url URL] [-- --dev FILE]

  --base-url  where the platform is; by default where the running stack of this clone is
  --dev       the dev.json of another stack`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      dev: { type: 'string', default: path.join(repoRoot, '.dtplatform', 'dev.json') },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return void console.log(USAGE);
  const dev = await readJson<DevJson>(values.dev);
  if (dev === undefined) throw new Error(`${values.dev} is not there: start the stack with "npm start" first`);
  const { seconds } = await runTour({
    dev: { ...dev, baseUrl: values['base-url'] ?? dev.baseUrl },
    write: console.log,
  });
  console.log(`tour passed in ${seconds.toFixed(1)} s`);
}

main().catch((error: unknown) => {
  console.error(pc.red(`The tour failed: ${(error as Error).message}`));
  process.exitCode = 1;
});
