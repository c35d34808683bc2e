import { createHash } from 'node:crypto';
import { createClient, createSession, memoryStore } from '@dtplatform/sdk';
import type { Client, Session, SessionOptions } from '@dtplatform/sdk';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { createAccount, openWorkspace } from '../support/people.js';
import type { Account } from '../support/people.js';
import { dev } from '../support/platform.js';

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A session of the bootstrap app, signed in like in a browser. */
export async function signedIn(account: Account, options: Partial<SessionOptions> = {}): Promise<Session> {
  const { baseUrl, appId: clientId, redirectUri } = dev;
  const session = createSession({ baseUrl, clientId, redirectUri, store: memoryStore(), ...options });
  const back = await signInAsBrowser(new URL(await session.begin()), account, { redirectUri });
  await session.complete(back);
  return session;
}

export interface Owner {
  account: Account;
  session: Session;
  client: Client;
  namespace: string;
}

/** A user with a workspace, and a client that works in it. */
export async function enterWithSdk(): Promise<Owner> {
  const account = await createAccount();
  const session = await signedIn(account);
  const namespace = await openWorkspace({ ...account, token: await session.token() });
  return { account, session, namespace, client: createClient({ baseUrl: dev.baseUrl, auth: session, namespace }) };
}
