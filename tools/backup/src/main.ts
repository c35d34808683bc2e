import { readFileSync } from 'node:fs';
import { loadConfig } from '@dtplatform/config';
import { runBackup } from './backup/run-backup.js';
import type { Context } from './context.js';
import { EXIT, Rejected } from './failures.js';
import { type Command, readCommand, USAGE } from './options.js';
import { runRestore } from './restore/run-restore.js';
import { describeBackup, describeRestore } from './result.js';
import { RestoreSettings, Settings } from './settings.js';

/** @returns the exit code */
async function run(command: Command, context: Context): Promise<number> {
  if (command.command === 'help') {
    console.log(USAGE);
    return EXIT.done;
  }
  if (command.command === 'backup') {
    const platformVersion = process.env.PLATFORM_VERSION ?? ownVersion();
    const result = await runBackup({ ...command, settings: loadConfig(Settings), platformVersion }, context);
    console.log(describeBackup(result));
    return result.missingObjects > 0 ? EXIT.incomplete : EXIT.done;
  }
  const result = await runRestore({ ...command, settings: loadConfig(RestoreSettings) }, context);
  console.log(describeRestore(result));
  return result.missingObjects > 0 ? EXIT.incomplete : EXIT.done;
}

const ownVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => stopping.abort(new Error(`stopped by ${name}`)));
const report = (line: string) => console.error(`${new Date().toISOString()} ${line}`);
try {
  process.exitCode = await run(readCommand(process.argv.slice(2)), { signal: stopping.signal, report });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof Rejected ? EXIT.refused : EXIT.failed;
}
