import { createClient, paginate } from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connect, connectByProfile, sessionOf, warnIfUnencrypted } from '../connect.js';
import type { Connection, GlobalOptions } from '../connect.js';
import { interruption } from '../interruption.js';
import { listenForRedirect } from '../loopback.js';
import { openBrowser } from '../open-browser.js';
import { httpUrl } from '../options.js';
import { note, printFields } from '../output.js';
import { findProfile, profileName, saveProfile } from '../profiles.js';
import type { Profile } from '../profiles.js';
import { UsageError } from '../usage-error.js';

/** The platform's default `BOOTSTRAP_REDIRECT_URI`. */
const REDIRECT_URI = 'http://localhost:3000/callback';

interface LoginOptions extends GlobalOptions {
  baseUrl?: string;
  clientId?: string;
  redirectUri?: string;
  browser: boolean;
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('sign in through the browser, and keep the session in the profile')
    .option('--base-url <url>', 'the base URL of the platform', httpUrl)
    .option('--client-id <id>', 'the app to sign in to')
    .option('--redirect-uri <uri>', `the redirect URI, registered for the app (${REDIRECT_URI})`)
    .option('--no-browser', 'print the sign-in URL instead of opening it; paste the URL that it redirects to')
    .action((_, command: Command) => login(command));
  program
    .command('logout')
    .description('sign out of the profile on this machine')
    .action((_, command: Command) => logout(command));
  program
    .command('whoami')
    .description('show who is signed in, and where')
    .action((_, command: Command) => whoami(command));
}

async function login(command: Command): Promise<void> {
  const options = command.optsWithGlobals<LoginOptions>();
  const name = profileName(options.profile);
  const profile = await chosenProfile(name, options);
  const session = sessionOf(name, profile);
  warnIfUnencrypted(profile.baseUrl);
  await checkPlatform(profile.baseUrl);
  const url = await session.begin();
  const loopback = await listenForRedirect(profile.redirectUri, url, interruption.signal);
  let message = 'Sign-in failed. See the terminal for the reason.';
  try {
    note(`Sign in at ${url}`);
    if (options.browser) openBrowser(url);
    else note('If the browser is on another machine, paste the URL of the page that it ends on.');
    note(`Waiting until the browser is redirected to ${profile.redirectUri}. Ctrl-C cancels.`);
    await session.complete(await loopback.back);
    await saveProfile(name, await ofUser(profile, name, options.namespace));
    message = 'You are signed in. You can close this window.';
  } finally {
    await loopback.close(message);
  }
  await printUser(await connectByProfile(command));
}

/** A browser would show a wrong page without telling why. @throws NoPlatformError */
async function checkPlatform(baseUrl: string): Promise<void> {
  await createClient({ baseUrl }).call('passportsvc.oauth.metadata', { signal: interruption.signal });
}

async function chosenProfile(name: string, options: LoginOptions): Promise<Profile> {
  const known = await findProfile(name);
  const baseUrl = options.baseUrl ?? process.env.DTPLATFORM_BASE_URL ?? known?.baseUrl;
  const clientId = options.clientId ?? process.env.DTPLATFORM_CLIENT_ID ?? known?.clientId;
  if (!baseUrl || !clientId) throw new UsageError('The first sign-in requires --base-url and --client-id.');
  const redirectUri = options.redirectUri ?? known?.redirectUri ?? REDIRECT_URI;
  const chosen = { baseUrl, clientId, redirectUri };
  return known?.baseUrl === baseUrl ? { ...known, ...chosen } : chosen;
}

/** Keeps the namespace of the same user, or selects the workspace of a user who has only one. */
async function ofUser(known: Profile, name: string, namespace?: string): Promise<Profile> {
  const client = createClient({ baseUrl: known.baseUrl, auth: sessionOf(name, known) });
  const { _id: user } = await client.call('passportsvc.users.me', { signal: interruption.signal });
  const kept = namespace ?? (known.user === user ? known.namespace : undefined);
  return { ...known, user, namespace: kept ?? (await onlyNamespace(client)) };
}

async function onlyNamespace(client: Client): Promise<string | undefined> {
  const namespaces: string[] = [];
  for await (const workspace of paginate(client, 'passportsvc.workspaces.list', { query: { _pageSize: 2 } })) {
    namespaces.push(...workspace._namespaces);
    if (namespaces.length > 1) return undefined;
  }
  return namespaces[0];
}

async function logout(command: Command): Promise<void> {
  const name = profileName(command.optsWithGlobals<GlobalOptions>().profile);
  const profile = await findProfile(name);
  if (!profile) throw new UsageError(`There is no profile ${name}.`);
  const page = await sessionOf(name, profile).signOut();
  note(`You are signed out on this machine. To sign out in the browser as well, open ${page}`);
}

async function whoami(command: Command): Promise<void> {
  const connection = await connect(command);
  const { client, profile, output } = connection;
  const { DTPLATFORM_CLIENT_ID: app, DTPLATFORM_TOKEN: token } = process.env;
  if (profile || token) return printUser(connection);
  // An app is not a user and has no name.
  printFields(output, { app, platform: client.baseUrl, namespace: client.namespace });
}

async function printUser({ client, profile, output }: Connection): Promise<void> {
  const user = await client.call('passportsvc.users.me', { signal: interruption.signal });
  const names = [user._firstname, user._lastname].filter(Boolean).join(' ');
  printFields(output, {
    ...{ id: user._id, email: user._email, name: names || undefined },
    ...{ platform: client.baseUrl, namespace: client.namespace, profile: profile?.name },
  });
}
