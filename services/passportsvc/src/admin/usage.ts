import { COMMANDS } from './commands.js';
import type { Command } from './commands.js';

const HEAD = `Administers a platform directly in its database, without a token or a running service.

  npm run admin -- COMMAND                 the local stack of this clone
  node dist/admin.js COMMAND               in a container of passportsvc, with its settings`;

const FOOT = `  --json    print the result as JSON
  --help    print this text, or that of a command

Exit codes: 0 done, 1 failed, 2 invalid usage or settings, 3 not found, 4 rejected.
Every change writes a line of JSON with "audit": true to standard error.`;

export function usage(name?: string): string {
  const shown = Object.entries(COMMANDS).filter(([each]) => name === undefined || each === name);
  return [HEAD, shown.map(([each, command]) => describe(each, command)).join('\n'), FOOT].join('\n\n');
}

function describe(name: string, { parameters, options, about }: Command): string {
  const lines = Object.entries(options).map(([option, { value, help }]) =>
    `      --${option}${value ? ` ${value}` : ''}`.padEnd(30).concat(help),
  );
  return [`  ${[name, ...parameters].join(' ')}`.padEnd(30).concat(about), ...lines].join('\n');
}
