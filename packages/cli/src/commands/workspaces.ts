import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { note, printFields } from '../output.js';
import { saveProfile } from '../profiles.js';
import { UsageError } from '../usage-error.js';

type Workspace = EntryOf<'passportsvc.workspaces.list'>;

export function addWorkspaces(program: Command): void {
  const workspaces = program.command('workspaces').description('list, create and choose workspaces');
  const ls = workspaces.command('ls', { isDefault: true }).description('list the workspaces that you may read');
  asList<Workspace>(ls, {
    ...{ limit: 1000, isInNamespace: false },
    read: ({ client, signal }) => paginate(client, 'passportsvc.workspaces.list', { signal }),
    columns: [
      ['NAME', ({ _name }) => _name],
      ['SHORT NAME', ({ _shortName }) => _shortName],
      ['NAMESPACE', ({ _namespaces }) => _namespaces],
      ['ID', ({ _id }) => _id],
    ],
  });
  workspaces
    .command('create')
    .argument('<name>', 'its name')
    .option('--short-name <name>', 'its short name')
    .description('create a workspace with a new namespace')
    .action(async (_name: string, { shortName: _shortName }: { shortName?: string }, command: Command) => {
      const { client, output } = await connect(command);
      const body = [{ _name, _shortName }];
      const { _list } = await client.call('passportsvc.workspaces.create', { body, signal: interruption.signal });
      const workspace = _list[0]!;
      printFields(output, workspace, { id: workspace._id, namespace: workspace._namespaces[0] });
    });
  workspaces
    .command('use')
    .argument('<workspace>', 'its id, short name, name or namespace')
    .description('choose the workspace for the commands of this profile')
    .action(use);
}

async function use(wanted: string, _: object, command: Command): Promise<void> {
  const { client, profile } = await connect(command);
  if (!profile) throw new UsageError('The environment variable DTPLATFORM_NAMESPACE overrides the workspace.');
  const matches: Workspace[] = [];
  for await (const workspace of paginate(client, 'passportsvc.workspaces.list', { signal: interruption.signal }))
    if (namesOf(workspace).includes(wanted)) matches.push(workspace);
  const [namespace] = onlyOne(matches, wanted)._namespaces;
  const { name, ...saved } = profile;
  await saveProfile(name, { ...saved, namespace });
  note(`Commands now use ${namespace ?? ''}.`);
}

function onlyOne(matches: Workspace[], wanted: string): Workspace {
  const [workspace, ...others] = matches;
  if (!workspace) throw new UsageError(`No workspace matches ${wanted}. List yours with: dt workspaces`);
  if (others.length > 0) throw new UsageError(`${matches.length} workspaces match ${wanted}. Pass an id.`);
  return workspace;
}

const namesOf = ({ _id, _name, _shortName, _namespaces }: Workspace) => [_id, _name, _shortName, ..._namespaces];
