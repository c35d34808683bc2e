import { paginate } from '@dtplatform/sdk';
import type { EntryOf, Input } from '@dtplatform/sdk';
import { Argument } from 'commander';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { RefusedError, UsageError } from '../errors.js';
import { interruption } from '../interruption.js';
import { note, printJson, printRows } from '../output.js';

type Permission = EntryOf<'objectmodelsvc.permissions.effective'>;

const ACTIONS = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE', 'RUN', 'ASSIGN', '*'] as const;
type Action = (typeof ACTIONS)[number];

interface SubjectOptions {
  user?: string;
  group?: string;
}

export function addPermissions(program: Command): void {
  const permissions = program.command('permissions').description('show and grant permissions in the namespace');
  permissions
    .command('ls')
    .option('--user <id>', 'a user; you by default')
    .option('--group <id>', 'a group')
    .description('list what a user or group may do')
    .action(async (options: SubjectOptions, command: Command) => {
      const { client, isJson } = await connectIn(command);
      const { signal } = interruption;
      const subject = subjectOf(options) ?? {
        type: 'user',
        id: (await client.call('passportsvc.users.me', { signal }))._id,
      };
      const query = { '_user._id': subject.id, '_user._type': subject.type };
      const input = { query, signal } as Input<'objectmodelsvc.permissions.effective'>;
      const rows: Permission[] = [];
      for await (const row of paginate(client, 'objectmodelsvc.permissions.effective', input)) rows.push(row);
      printRows({ isJson }, rows, [
        ['RESOURCE', ({ _resourceDesc }: Permission) => _resourceDesc._irn],
        ['ACTIONS', ({ _actions }) => _actions],
      ]);
    });
  permissions
    .command('grant')
    .argument('<resource>', 'service:type:id; * matches any part, such as filesvc:file:*')
    .addArgument(new Argument('<actions...>', 'the actions to allow').choices(ACTIONS))
    .option('--user <id>', 'the user to grant to')
    .option('--group <id>', 'the group to grant to')
    .description('grant a permission to a user or group')
    .action(async (irn: string, actions: Action[], options: SubjectOptions, command: Command) => {
      const { client, namespace, isJson } = await connectIn(command);
      const subject = subjectOf(options);
      if (!subject) throw new UsageError('Pass --user or --group.');
      const _user = { _type: subject.type, _id: subject.id };
      const body = [{ _namespace: namespace, _resourceDesc: { _irn: irn }, _user, _actions: actions }];
      const { _list } = await client.call('objectmodelsvc.permissions.put', { body, signal: interruption.signal });
      const [failure] = _list._failures;
      if (failure) throw new RefusedError(failure.message, failure.code);
      if (isJson) printJson(_list._success);
      else note(`Granted ${actions.join(', ')} on ${irn}.`);
    });
}

function subjectOf({ user, group }: SubjectOptions): { type: 'user' | 'usergroup'; id: string } | undefined {
  if (user !== undefined && group !== undefined) throw new UsageError('Pass --user or --group, not both.');
  if (group !== undefined) return { type: 'usergroup', id: group };
  return user === undefined ? undefined : { type: 'user', id: user };
}
