import { clientCredentials, createClient, createSession } from '@dtplatform/sdk';
import type { Auth, Client, Session, TokenSource } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { UsageError } from './errors.js';
import { fileStore } from './file-store.js';
import type { Output } from './output.js';
import { findProfile, profileName } from './profiles.js';
import type { Profile } from './profiles.js';

/** Options that all commands take. */
export interface GlobalOptions {
  profile?: string;
  namespace?: string;
  json?: boolean;
}

export interface Connection extends Output {
  client: Client;
  /** Undefined when the environment says how to connect. */
  profile?: { name: string } & Profile;
}

export const sessionOf = (name: string, { baseUrl, clientId, redirectUri }: Profile): Session =>
  createSession({ baseUrl, clientId, redirectUri, store: fileStore(name, { baseUrl, clientId }) });

/** The client of a command: of the environment, as programs have it, or of the profile. */
export async function connect(command: Command): Promise<Connection> {
  const { profile: name, namespace, json = false } = command.optsWithGlobals<GlobalOptions>();
  const { env } = process;
  const base = { isJson: json };
  const auth = name === undefined ? authOf(env) : undefined;
  if (auth) {
    const baseUrl = required(env, 'DTPLATFORM_BASE_URL');
    return { ...base, client: createClient({ baseUrl, auth, namespace: namespace ?? env.DTPLATFORM_NAMESPACE }) };
  }
  const chosen = profileName(name);
  const profile = await findProfile(chosen);
  if (!profile)
    throw new UsageError(`There is no profile ${chosen}. Make it with: dt login --base-url URL --client-id ID`);
  const acting = namespace ?? env.DTPLATFORM_NAMESPACE ?? profile.namespace;
  const client = createClient({ baseUrl: profile.baseUrl, auth: sessionOf(chosen, profile), namespace: acting });
  return { ...base, client, profile: { name: chosen, ...profile } };
}

function authOf(env: NodeJS.ProcessEnv): Auth | TokenSource | undefined {
  if (env.DTPLATFORM_TOKEN) return env.DTPLATFORM_TOKEN;
  const { DTPLATFORM_CLIENT_ID: clientId, DTPLATFORM_CLIENT_SECRET: clientSecret } = env;
  if (!clientId || !clientSecret) return undefined;
  return clientCredentials({ baseUrl: required(env, 'DTPLATFORM_BASE_URL'), clientId, clientSecret });
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new UsageError(`${name} is not set.`);
  return value;
}

/** The connection of a command that works in a namespace. */
export async function connectIn(command: Command): Promise<Connection & { namespace: string }> {
  const connection = await connect(command);
  const { namespace } = connection.client;
  if (namespace === undefined)
    throw new UsageError('Which namespace? Pass --namespace, or choose a workspace with: dt workspaces use NAME');
  return { ...connection, namespace };
}
