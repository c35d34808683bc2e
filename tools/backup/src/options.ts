import { parseArgs } from 'node:util';
import { Rejected } from './failures.js';

export const USAGE = `Usage: backup --to FOLDER [--keep N] [--secret NAME…]
       restore --from FOLDER [--backup NAME] [--replace]

backup   writes all databases at one point in time, and the objects that they name, while the services run
restore  writes a backup into an empty installation; no service may run

  --keep N         removes all but the latest N backups at the end (keeps all)
  --secret NAME    name of a secret that a restore needs; only the name becomes part of the backup
  --backup NAME    which backup to restore (the latest)
  --replace        restores into databases that hold data: all of it is lost

Settings come from the environment: MONGO_URL, MONGO_DATABASE_PREFIX, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY, S3_SECRET_KEY,
S3_BUCKET_PREFIX and, for a restore, REDIS_URL.

Exit codes: 0 done, 1 failed, 2 refused: repeating it does not help, 3 done, but objects are missing.`;

export type Command =
  | { command: 'backup'; to: string; keep?: number; secrets: string[] }
  | { command: 'restore'; from: string; backup?: string; replace: boolean }
  | { command: 'help' };

/** @throws Rejected for anything that is not a command */
export function readCommand(argv: string[]): Command {
  const { values, positionals } = parsed(argv);
  if (values.help || positionals[0] === undefined) return { command: 'help' };
  const [command] = positionals;
  if (command === 'backup')
    return { command, to: required('--to', values.to), keep: countOf(values.keep), secrets: values.secret };
  if (command === 'restore')
    return { command, from: required('--from', values.from), backup: values.backup, replace: values.replace };
  throw new Rejected(`unknown command "${command}"\n\n${USAGE}`);
}

function parsed(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        to: { type: 'string' },
        from: { type: 'string' },
        keep: { type: 'string' },
        secret: { type: 'string', multiple: true, default: [] },
        backup: { type: 'string' },
        replace: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new Rejected(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function required(option: string, value: string | undefined): string {
  if (!value) throw new Rejected(`${option} is required\n\n${USAGE}`);
  return value;
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Rejected(`--keep ${text}: expected a number from 1 to 9999`);
  return Number(text);
}
