import { paginate } from '@dtplatform/sdk';
import type { Client, EntryOf, Output as Body } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { text } from 'node:stream/consumers';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { note, printFields, timeText } from '../output.js';

type User = Body<'passportsvc.users.get'>;
type Administrator = EntryOf<'passportsvc.administrators.list'>;
type Session = Body<'passportsvc.sessions.list'>['_list'][0];

interface CreateOptions {
  givenName?: string;
  familyName?: string;
  passwordStdin?: boolean;
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const PAGE_SIZE = 1000;

export function addUsers(program: Command): void {
  const users = program.command('users').description('manage users (SCIM), with the credentials of an app');
  const ls = users
    .command('ls')
    .option('--filter <filter>', 'a SCIM filter, such as \'userName sw "jo"\'')
    .description('list users');
  asList<User, { filter?: string }>(ls, {
    isInNamespace: false,
    read: ({ client }, { filter, limit }) => list(client, { filter, count: Math.min(limit, PAGE_SIZE) }),
    columns: [
      ['NAME', nameOf],
      ['USER NAME', ({ userName }) => userName],
      ['STATUS', statusOf],
      ['ID', ({ id }) => id],
    ],
  });
  users
    .command('get')
    .argument('<id>', 'the id of the user')
    .description('show a user')
    .action(async (id: string, _, command: Command) => {
      const { client, output } = await connect(command);
      const user = await client.call('passportsvc.users.get', { path: { id }, signal: interruption.signal });
      printFields(output, user, shownOf(user));
    });
  users
    .command('create')
    .argument('<email>', 'the email address, which is also the user name')
    .option('--given-name <name>', 'the given name')
    .option('--family-name <name>', 'the family name')
    .option('--password-stdin', 'read a password from stdin')
    .description('create a user')
    .action(create);
  users
    .command('deactivate')
    .argument('<id>', 'the id of the user')
    .description('end all access of a user')
    .action(async (id: string, _, command: Command) => {
      const { client } = await connect(command);
      const Operations = [{ op: 'replace' as const, path: 'active', value: false }];
      const body = { schemas: [PATCH], Operations };
      await client.call('passportsvc.users.patch', { path: { id }, body, signal: interruption.signal });
      note(`Deactivated ${id}.`);
    });
  asList<Administrator>(users.command('admins').description('list the administrators of the platform'), {
    isInNamespace: false,
    read: ({ client, signal }) => paginate(client, 'passportsvc.administrators.list', { signal }),
    columns: [
      ['USER NAME', ({ _userName }) => _userName],
      ['STATUS', ({ _active }) => (_active ? 'active' : 'inactive')],
      ['ID', ({ _id }) => _id],
    ],
  });
  addAdminChange(users, 'add', 'make a user an administrator of the platform');
  addAdminChange(users, 'remove', 'make an administrator a user again, who is signed out everywhere');
  const sessions = users.command('sessions').argument('<id>', 'the id of the user');
  asList<Session>(sessions.description('list where a user is signed in'), {
    isInNamespace: false,
    async *read({ client, signal }, _options, id: string) {
      yield* (await client.call('passportsvc.sessions.list', { path: { id }, signal }))._list;
    },
    columns: [
      ['TYPE', ({ _type }) => _type],
      ['APP', ({ _appId }) => _appId],
      ['SINCE', ({ _startedAt }) => timeText(_startedAt)],
      ['ID', ({ _id }) => _id],
    ],
  });
  users
    .command('sign-out')
    .argument('<id>', 'the id of the user')
    .argument('[session]', 'the id of a session; by default all sessions and tokens')
    .description('end sessions of a user, who can sign in again')
    .action(signOut);
}

const addAdminChange = (users: Command, change: 'add' | 'remove', description: string) =>
  users
    .command(`${change}-admin`)
    .argument('<id>', 'the id of the user')
    .description(description)
    .action(async (id: string, _, command: Command) => {
      const { client } = await connect(command);
      await client.call(`passportsvc.administrators.${change}`, { path: { id }, signal: interruption.signal });
      note(change === 'add' ? `${id} is an administrator now.` : `${id} is no longer an administrator.`);
    });

async function signOut(id: string, sessionId: string | undefined, _: object, command: Command): Promise<void> {
  const { client } = await connect(command);
  const { signal } = interruption;
  if (sessionId) await client.call('passportsvc.sessions.end', { path: { id, sessionId }, signal });
  else await client.call('passportsvc.sessions.endAll', { path: { id }, signal });
  note(sessionId ? `Ended session ${sessionId}.` : `Signed ${id} out everywhere.`);
}

async function* list(client: Client, query: { filter?: string; count: number }): AsyncGenerator<User> {
  for (let startIndex = 1; ;) {
    const { signal } = interruption;
    const page = await client.call('passportsvc.users.list', { query: { ...query, startIndex }, signal });
    yield* page.Resources;
    startIndex += page.Resources.length;
    if (page.Resources.length === 0 || startIndex > page.totalResults) return;
  }
}

async function create(email: string, options: CreateOptions, command: Command): Promise<void> {
  const { client, output } = await connect(command);
  const { givenName, familyName, passwordStdin = false } = options;
  const body = {
    ...{ schemas: [USER], userName: email, active: true, emails: [{ value: email, type: 'work', primary: true }] },
    ...((givenName ?? familyName) !== undefined && { name: { givenName, familyName } }),
    ...(passwordStdin && { password: (await text(process.stdin)).replace(/\r?\n$/, '') }),
  };
  const user = await client.call('passportsvc.users.create', { body, signal: interruption.signal });
  printFields(output, user, shownOf(user));
}

const shownOf = (user: User) => ({
  ...{ id: user.id, 'user name': user.userName, name: nameOf(user), status: statusOf(user) },
});

const nameOf = ({ displayName, name }: User): string | undefined =>
  displayName ?? ([name?.givenName, name?.familyName].filter(Boolean).join(' ') || undefined);

const statusOf = ({ active }: User) => (active === false ? 'inactive' : 'active');
