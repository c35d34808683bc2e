import path from 'node:path';
import { startBackends } from '../backends/start-backends.js';
import { runProgram, stateDir } from '../program/run-program.js';
import { backupSettings } from '../services/environment.js';
import { lineReport } from '../report.js';
import { readJson } from '../state/json-file.js';

const PROGRAM = 'tools/backup/dist/main.js';

/** Runs the backup programs with the backends in the environment or, without these, those of the local stack. */
async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (process.env.MONGO_URL || args.length < 2 || args.includes('--help')) return runProgram(PROGRAM, args);
  return args[0] === 'restore' ? restore(args) : backUp(args);
}

async function backUp(args: string[]): Promise<number> {
  const settings = await readJson<NodeJS.ProcessEnv>(path.join(stateDir, 'backup.json'));
  if (settings === undefined)
    throw new Error('start the stack with "npm start" first, or set MONGO_URL and S3_ENDPOINT');
  return runProgram(PROGRAM, [...args, '--secret', 'secrets.json'], settings);
}

/** Starts only the backends, on the data of the stack, which must not be running. */
async function restore(args: string[]): Promise<number> {
  const report = lineReport((line) => console.error(line));
  const backends = await startBackends({ dataDir: stateDir, report });
  return runProgram(PROGRAM, args, backupSettings(backends)).finally(() => backends.stop());
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
  },
);
