import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { note, printFields } from '../output.js';

export function addGroups(program: Command): void {
  const groups = program.command('groups').description('manage user groups and their members');
  asList<EntryOf<'passportsvc.usergroups.list'>>(groups.command('ls').description('list the groups you may read'), {
    isInNamespace: false,
    read: ({ client, signal }, { limit }) =>
      paginate(client, 'passportsvc.usergroups.list', { query: { _pageSize: Math.min(limit, 1000) }, signal }),
    columns: [
      ['NAME', ({ _name }) => _name],
      ['SHORT NAME', ({ _shortName }) => _shortName],
      ['NAMESPACE', ({ _namespaces }) => _namespaces],
      ['ID', ({ _id }) => _id],
    ],
  });
  groups
    .command('create')
    .argument('<name>', 'its name')
    .option('--short-name <name>', 'its short name')
    .description('create a group with a new namespace')
    .action(async (_name: string, { shortName: _shortName }: { shortName?: string }, command: Command) => {
      const { client, output } = await connect(command);
      const body = [{ _name, _shortName }];
      const { _list } = await client.call('passportsvc.usergroups.create', { body, signal: interruption.signal });
      const group = _list[0]!;
      printFields(output, group, { id: group._id, namespace: group._namespaces[0] });
    });
  addMemberCommand(groups, 'add', 'passportsvc.usergroups.addMembers');
  addMemberCommand(groups, 'remove', 'passportsvc.usergroups.removeMembers');
}

type MemberOperation = 'passportsvc.usergroups.addMembers' | 'passportsvc.usergroups.removeMembers';

function addMemberCommand(groups: Command, name: 'add' | 'remove', operation: MemberOperation): void {
  groups
    .command(name)
    .argument('<group>', 'its id')
    .argument('<user...>', 'the ids of users')
    .description(`${name} members`)
    .action(async (id: string, body: string[], _, command: Command) => {
      const { client } = await connect(command);
      await client.call(operation, { path: { id }, body, signal: interruption.signal });
      note(`${name === 'add' ? 'Added' : 'Removed'} ${body.join(', ')}.`);
    });
}
