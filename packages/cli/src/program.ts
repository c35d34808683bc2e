import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { addApi } from './commands/api.js';
import { addApps } from './commands/apps.js';
import { addAudit } from './commands/audit.js';
import { addCompletion } from './commands/completion.js';
import { addFiles } from './commands/files.js';
import { addGroups } from './commands/groups.js';
import { addHealth } from './commands/health.js';
import { addItems } from './commands/items.js';
import { addKeys } from './commands/keys.js';
import { addLogin } from './commands/login.js';
import { addMails } from './commands/mails.js';
import { addMetrics } from './commands/metrics.js';
import { addOrchestrators } from './commands/orchestrators.js';
import { addPermissions } from './commands/permissions.js';
import { addQueues } from './commands/queues.js';
import { addRuns } from './commands/runs.js';
import { addScripts } from './commands/scripts.js';
import { addUsers } from './commands/users.js';
import { addWorkspaces } from './commands/workspaces.js';
import { FORMATS } from './output.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const COMMANDS = [
  ...[addLogin, addWorkspaces, addFiles, addItems, addOrchestrators, addRuns, addMetrics, addScripts],
  ...[addPermissions, addUsers, addGroups, addApps, addKeys, addMails, addQueues, addHealth, addAudit],
  ...[addApi, addCompletion],
];

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
    .addOption(new Option('--output <format>', 'how to print results').choices(FORMATS).default('table'))
    .option('--json', 'the same as --output json')
    .option('--query <expression>', 'print only what this JMESPath expression selects')
    .showHelpAfterError('Run with --help for help.')
    .exitOverride();
  for (const add of COMMANDS) add(program);
  return program;
}
