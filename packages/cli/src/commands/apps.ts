import { paginate } from '@dtplatform/sdk';
import type { EntryOf } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { positive, several } from '../options.js';
import { note, printFields, timeText } from '../output.js';

type App = EntryOf<'passportsvc.apps.list'>;

interface CreateOptions {
  org: string;
  owner?: string;
  redirectUri: string[];
}

export function addApps(program: Command): void {
  const apps = program.command('apps').description('manage apps, which sign users in or act on their own');
  asList<App>(apps.command('ls').description('list the apps that you own or may read'), {
    isInNamespace: false,
    read: ({ client, signal }, { limit }) =>
      paginate(client, 'passportsvc.apps.list', { query: { _pageSize: Math.min(limit, 1000) }, signal }),
    columns: [
      ['NAME', ({ _name }) => _name],
      ['SHORT NAME', ({ _shortName }) => _shortName],
      ['TYPE', ({ _userType }) => _userType],
      ['ID', ({ _id }) => _id],
    ],
  });
  apps
    .command('get')
    .argument('<id>', 'its id')
    .description('show an app')
    .action(async (id: string, _, command: Command) => {
      const { client, output } = await connect(command);
      printFields(output, await client.call('passportsvc.apps.get', { path: { id }, signal: interruption.signal }));
    });
  apps
    .command('create')
    .argument('<name>', 'its name')
    .requiredOption('--org <id>', 'the organization that it belongs to')
    .requiredOption('--redirect-uri <uri>', 'where sign-ins return to; can be repeated', several)
    .option('--owner <email>', 'who gets all permissions on it; you by default')
    .description('register an app, and print its secret, which cannot be shown again')
    .action(create);
  apps
    .command('replace-secret')
    .argument('<id>', 'its id')
    .option('--keep-old <seconds>', 'how long the former secret stays valid, up to 604800 (7 days)', positive)
    .option('--end-tokens', 'also end the access tokens of the app and its users, for a secret that leaked')
    .description('generate a new secret, and print it; it cannot be shown again')
    .action(replaceSecret);
  apps
    .command('rm')
    .argument('<id>', 'its id')
    .description('delete an app and end its tokens')
    .action(async (id: string, _, command: Command) => {
      const { client } = await connect(command);
      await client.call('passportsvc.apps.delete', { path: { id }, signal: interruption.signal });
      note(`Deleted ${id}.`);
    });
}

async function replaceSecret(
  id: string,
  { keepOld = 0, endTokens = false }: { keepOld?: number; endTokens?: boolean },
  command: Command,
): Promise<void> {
  const { client, output } = await connect(command);
  const body = { _previousValidForSec: keepOld, _endTokens: endTokens };
  const app = await client.call('passportsvc.apps.replaceSecret', { path: { id }, body, signal: interruption.signal });
  if (!app._secret) throw new Error('The secret was replaced, but the response was lost. Replace it again.');
  printFields(output, app, { id, secret: app._secret });
  const until = app._previousSecretExpiresAt;
  note(`The former secret ${until === undefined ? 'has ended' : `ends at ${timeText(until)}`}. Store the new one now.`);
}

async function create(name: string, { org, owner, redirectUri }: CreateOptions, command: Command): Promise<void> {
  const { client, output } = await connect(command);
  const { signal } = interruption;
  const _appOwner = owner ?? (await client.call('passportsvc.users.me', { signal }))._email;
  const body = { _name: name, _orgId: org, _appOwner, _redirectUris: redirectUri.join(',') };
  const app = await client.call('passportsvc.apps.create', { body, signal });
  printFields(output, app, { id: app._id, name, secret: app._secret });
  note('Store the secret now: it cannot be shown again.');
}
