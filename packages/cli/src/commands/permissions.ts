import { paginate } from '@dtplatform/sdk';
import type { EntryOf, Input } from '@dtplatform/sdk';
import { Argument } from 'commander';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { RefusedError } from '../errors.js';
import { explainActions } from '../explain-actions.js';
import type { Explanation } from '../explain-actions.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { note, printRows } from '../output.js';
import type { Column, Output } from '../output.js';
import { ACTIONS, callerOr, holdersOf, permissionsOf, subjectOf, takesSubject } from '../subject.js';
import type { SubjectOptions } from '../subject.js';
import { UsageError } from '../usage-error.js';

type Action = (typeof ACTIONS)[number];

const COLUMNS: Column<EntryOf<'objectmodelsvc.permissions.effective'>>[] = [
  ['RESOURCE', ({ _resourceDesc }) => _resourceDesc._irn],
  ['ACTIONS', ({ _actions }) => _actions],
];
const HOLDERS: Column<EntryOf<'objectmodelsvc.permissions.holders'>>[] = [
  ['HOLDER', ({ _user }) => `${_user._type} ${_user._id}`],
  ['ACTIONS', ({ _actions }) => _actions],
  ['RESOURCE', ({ _resourceDesc }) => _resourceDesc._irn],
  ['ID', ({ _id }) => _id],
];
const RESOURCE = 'service:type:id; * matches any part, such as filesvc:file:*';

export function addPermissions(program: Command): void {
  const permissions = program.command('permissions').description('show, grant and revoke permissions in the namespace');
  const ls = permissions.command('ls').description('list what a user, group or app may do; you by default');
  asList<EntryOf<'objectmodelsvc.permissions.effective'>, SubjectOptions>(takesSubject(ls), {
    limit: 1000,
    async *read({ client, signal }, options) {
      const subject = await callerOr(client, options);
      const query = { '_user._id': subject._id, '_user._type': subject._type };
      const input = { query, signal } as Input<'objectmodelsvc.permissions.effective'>;
      yield* paginate(client, 'objectmodelsvc.permissions.effective', input);
    },
    columns: COLUMNS,
  });
  const holders = permissions.command('holders').argument('<resource>', RESOURCE);
  asList<EntryOf<'objectmodelsvc.permissions.holders'>>(holders.description('list who holds permissions on it'), {
    limit: 1000,
    async *read({ client, signal }, _, irn: string) {
      yield* holdersOf(client, irn, signal);
    },
    columns: HOLDERS,
  });
  takesSubject(permissions.command('grant'))
    .argument('<resource>', RESOURCE)
    .addArgument(new Argument('<actions...>', 'the actions to allow').choices(ACTIONS))
    .description('grant a permission')
    .action(grant);
  takesSubject(permissions.command('revoke'))
    .argument('<resource>', RESOURCE)
    .description('revoke what was granted on exactly this resource')
    .action(revoke);
  takesSubject(permissions.command('explain'))
    .argument('<resource>', RESOURCE)
    .description('show what a user, group or app may do, and through which permissions')
    .action(async (irn: string, options: SubjectOptions, command: Command) => {
      const { client, namespace, output } = await connectIn(command);
      printExplanation(
        output,
        await explainActions(client, { irn, namespace, subject: await callerOr(client, options) }),
      );
    });
}

function printExplanation(output: Output, rows: Explanation[]): void {
  printRows(output, rows, [
    ['ACTION', ({ action }) => action],
    ['ALLOWED', ({ isAllowed }) => (isAllowed ? 'yes' : 'no')],
    [
      'THROUGH',
      ({ isAllowed, through }) =>
        (isAllowed ? through : []).map(({ subject, resource, id }) =>
          [subject, resource, id].filter(Boolean).join(' '),
        ),
    ],
  ]);
}

async function grant(irn: string, actions: Action[], options: SubjectOptions, command: Command): Promise<void> {
  const { client, namespace, output } = await connectIn(command);
  const body = [
    { _namespace: namespace, _resourceDesc: { _irn: irn }, _user: requiredSubject(options), _actions: actions },
  ];
  const { _list } = await client.call('objectmodelsvc.permissions.put', { body, signal: interruption.signal });
  const [failure] = _list._failures;
  if (failure) throw new RefusedError(failure.message, failure.code);
  if (output.format === 'table' && output.query === undefined) note(`Granted ${actions.join(', ')} on ${irn}.`);
  else printRows(output, _list._success, COLUMNS);
}

async function revoke(irn: string, options: SubjectOptions, command: Command): Promise<void> {
  const { client } = await connectIn(command);
  const { signal } = interruption;
  const found = await permissionsOf(client, { irn, subject: requiredSubject(options), patternmatch: false });
  if (found.length === 0) throw new UsageError(`Nothing is granted on exactly ${irn}. See: dt permissions explain`);
  for (const { _id: id, _actions } of found) {
    await client.call('objectmodelsvc.permissions.delete', { path: { id }, signal });
    note(`Revoked ${_actions.join(', ')} on ${irn}.`);
  }
}

function requiredSubject(options: SubjectOptions) {
  const subject = subjectOf(options);
  if (!subject) throw new UsageError('Pass --user, --group or --app.');
  return subject;
}
