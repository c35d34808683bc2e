import { clientCredentials, createClient, createSession } from '@dtplatform/sdk';
import type { Auth, Client, Session, TokenSource } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { fileStore } from './file-store.js';
import { isLoopback } from './loopback-hosts.js';
import { note } from './output.js';
import type { Output } from './output.js';
import { findProfile, profileName } from './profiles.js';
import type { Profile } from './profiles.js';
import { UsageError } from './usage-error.js';

/** Options of all commands. */
export interface GlobalOptions {
  profile?: string;
  namespace?: string;
  output: Output['format'];
  json?: boolean;
  query?: string;
}

export interface Connection {
  client: Client;
  output: Output;
  /** Undefined when the environment configures the connection. */
  profile?: NamedProfile;
}

type NamedProfile = { name: string } & Profile;

export const sessionOf = (name: string, { baseUrl, clientId, redirectUri }: Profile): Session =>
  createSession({ baseUrl, clientId, redirectUri, store: fileStore(name, { baseUrl, clientId }) });

/** A command's client: configured by the environment, as in programs, or by the profile. */
export async function connect(command: Command): Promise<Connection> {
  const connection = connectByEnvironment(command) ?? (await connectByProfile(command));
  warnIfUnencrypted(connection.client.baseUrl);
  return connection;
}

function connectByEnvironment(command: Command): Connection | undefined {
  const { profile, namespace } = command.optsWithGlobals<GlobalOptions>();
  const { env } = process;
  const auth = profile === undefined ? authOf(env) : undefined;
  if (!auth) return undefined;
  const baseUrl = required(env, 'DTPLATFORM_BASE_URL');
  const client = createClient({ baseUrl, auth, namespace: namespace ?? env.DTPLATFORM_NAMESPACE, strict: true });
  return { client, output: outputOf(command) };
}

/** The client of the profile's user, even if the environment has other credentials. */
export async function connectByProfile(command: Command): Promise<Connection & { profile: NamedProfile }> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const name = profileName(options.profile);
  const profile = await findProfile(name);
  if (!profile)
    throw new UsageError(`There is no profile ${name}. Create it with: dt login --base-url URL --client-id ID`);
  if (options.profile === undefined) requireSamePlatform(name, profile);
  const namespace = options.namespace ?? process.env.DTPLATFORM_NAMESPACE ?? profile.namespace;
  const client = createClient({ baseUrl: profile.baseUrl, auth: sessionOf(name, profile), namespace, strict: true });
  return { client, output: outputOf(command), profile: { name, ...profile } };
}

/** Otherwise a command for one platform would act on another one. */
function requireSamePlatform(name: string, { baseUrl }: Profile): void {
  const { DTPLATFORM_BASE_URL: wanted } = process.env;
  if (!wanted || wanted.replace(/\/+$/, '') === baseUrl.replace(/\/+$/, '')) return;
  throw new UsageError(
    `DTPLATFORM_BASE_URL is ${wanted}, but the profile ${name} is for ${baseUrl}. Set DTPLATFORM_TOKEN, or DTPLATFORM_CLIENT_ID and DTPLATFORM_CLIENT_SECRET, or pass --profile.`,
  );
}

function outputOf(command: Command): Output {
  const { output, json = false, query } = command.optsWithGlobals<GlobalOptions>();
  return { format: json ? 'json' : output, query };
}

/** Without TLS, anyone on the network can read tokens. Loopback connections stay on this machine. */
export function warnIfUnencrypted(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'http:' && !isLoopback(hostname))
    note(`Warning: ${baseUrl} is not encrypted. Others on the network can read tokens and data.`);
}

function authOf(env: NodeJS.ProcessEnv): Auth | TokenSource | undefined {
  if (env.DTPLATFORM_TOKEN) return env.DTPLATFORM_TOKEN;
  const { DTPLATFORM_CLIENT_ID: clientId, DTPLATFORM_CLIENT_SECRET: clientSecret } = env;
  if (!clientId && !clientSecret) return undefined;
  if (!clientId || !clientSecret) throw new UsageError('Set both DTPLATFORM_CLIENT_ID and DTPLATFORM_CLIENT_SECRET.');
  return clientCredentials({ baseUrl: required(env, 'DTPLATFORM_BASE_URL'), clientId, clientSecret });
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new UsageError(`${name} is not set.`);
  return value;
}

/** The connection of a command that needs a namespace. */
export async function connectIn(command: Command): Promise<Connection & { namespace: string }> {
  const connection = await connect(command);
  const { namespace } = connection.client;
  if (namespace === undefined)
    throw new UsageError('No namespace is set. Pass --namespace, or choose a workspace with: dt workspaces use NAME');
  return { ...connection, namespace };
}
