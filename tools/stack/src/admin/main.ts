import path from 'node:path';
import { runProgram, stateDir } from '../program/run-program.js';
import { readJson } from '../state/json-file.js';

const settingsFile = path.join(stateDir, 'admin.json');

/** Runs passportsvc's administration program with the settings of the local stack. */
async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const settings = await readJson<NodeJS.ProcessEnv>(settingsFile);
  if (settings === undefined && args.length > 0 && !args.includes('--help'))
    throw new Error(`${settingsFile} is not there: start the stack with "npm start" first`);
  process.exitCode = await runProgram('services/passportsvc/dist/admin.js', args, settings);
}

main().catch((error: unknown) => {
  console.error(`admin: ${(error as Error).message}`);
  process.exitCode = 2;
});
