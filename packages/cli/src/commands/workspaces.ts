import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { UsageError } from '../errors.js';
import { first } from '../first.js';
import { interruption } from '../interruption.js';
import { positive } from '../options.js';
import { note, printRows } from '../output.js';
import { saveProfile } from '../profiles.js';

type Workspace = EntryOf<'passportsvc.workspaces.list'>;

export function addWorkspaces(program: Command): void {
  const workspaces = program.command('workspaces').description('list and choose workspaces');
  workspaces
    .command('ls', { isDefault: true })
    .description('list the workspaces that you may read')
    .option('--limit <number>', 'the maximum number of entries', positive, 1000)
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const { client, isJson } = await connect(command);
      const { signal } = interruption;
      const rows = await first(limit, paginate(client, 'passportsvc.workspaces.list', { signal }));
      printRows({ isJson }, rows, [
        ['NAME', ({ _name }: Workspace) => _name],
        ['SHORT NAME', ({ _shortName }) => _shortName],
        ['NAMESPACE', ({ _namespaces }) => _namespaces],
        ['ID', ({ _id }) => _id],
      ]);
    });
  workspaces
    .command('use')
    .argument('<workspace>', 'its id, short name, name or namespace')
    .description('choose the workspace for the commands of this profile')
    .action(async (wanted: string, _, command: Command) => {
      const { client, profile } = await connect(command);
      if (!profile) throw new UsageError('The environment variable DTPLATFORM_NAMESPACE overrides the workspace.');
      const matches: Workspace[] = [];
      for await (const workspace of paginate(client, 'passportsvc.workspaces.list', { signal: interruption.signal }))
        if (namesOf(workspace).includes(wanted)) matches.push(workspace);
      const [namespace] = onlyOne(matches, wanted)._namespaces;
      const { name, ...saved } = profile;
      await saveProfile(name, { ...saved, namespace });
      note(`Commands now use ${namespace ?? ''}.`);
    });
}

function onlyOne(matches: Workspace[], wanted: string): Workspace {
  const [workspace, ...others] = matches;
  if (!workspace) throw new UsageError(`No workspace matches ${wanted}. List yours with: dt workspaces`);
  if (others.length > 0) throw new UsageError(`${matches.length} workspaces match ${wanted}. Pass an id.`);
  return workspace;
}

const namesOf = ({ _id, _name, _shortName, _namespaces }: Workspace) => [_id, _name, _shortName, ..._namespaces];
