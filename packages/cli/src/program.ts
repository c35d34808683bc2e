import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCompletion } from './commands/completion.js';
import { addFiles } from './commands/files.js';
import { addItems } from './commands/items.js';
import { addLogin } from './commands/login.js';
import { addPermissions } from './commands/permissions.js';
import { addRuns } from './commands/runs.js';
import { addWorkspaces } from './commands/workspaces.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** All commands. They throw errors; the caller chooses messages and exit codes. */
export function createProgram(): Command {
  const program = new Command('dt')
    .description('The command line of dtplatform.')
    .version(version)
    .option('--profile <name>', 'the profile to use; by default DTPLATFORM_PROFILE, or "default"')
    .option(
      '--namespace <namespace>',
      'the namespace to work in; by default DTPLATFORM_NAMESPACE, or that of the chosen workspace',
    )
    .option('--json', 'print JSON')
    .showHelpAfterError('Run with --help for help.')
    .exitOverride();
  for (const add of [addLogin, addWorkspaces, addFiles, addItems, addRuns, addPermissions, addCompletion]) add(program);
  return program;
}
