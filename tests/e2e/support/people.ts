import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import { clientCredentials, signIn } from '@dtplatform/stack/client';
import { dev as running, sendTo } from './platform.js';

export interface Account {
  id: string;
  email: string;
  password: string;
}

export interface Person extends Account {
  token: string;
}

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Creates a user with the bootstrap application's token. */
export async function createAccount(dev: DevJson = running): Promise<Account> {
  const { access_token: token } = await clientCredentials(dev);
  const email = `user-${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(18).toString('base64url');
  const emails = [{ value: email, type: 'work', primary: true }];
  const json = { schemas: [USER_SCHEMA], userName: email, password, emails, active: true };
  const response = await sendTo(dev.baseUrl, 'POST', '/passportsvc/api/v1/scim/Users', { token, json });
  if (response.status !== 201)
    throw new Error(`creating a user failed: ${response.status} ${JSON.stringify(response.body)}`);
  return { id: response.body.id as string, email, password };
}

/** A signed-in user. */
export async function enter(dev: DevJson = running): Promise<Person> {
  const account = await createAccount(dev);
  const { access_token } = await signIn(dev, account);
  return { ...account, token: access_token };
}

/** Creates a workspace and returns its namespace. */
export async function openWorkspace(owner: Person, dev: DevJson = running): Promise<string> {
  const json = [{ _name: 'E2E', _shortName: `e2e_${randomBytes(4).toString('hex')}` }];
  const response = await sendTo(dev.baseUrl, 'POST', '/passportsvc/api/v1/workspaces', { token: owner.token, json });
  if (response.status !== 201)
    throw new Error(`creating a workspace failed: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body._list[0]._namespaces[0] as string;
}

export async function trustedToken(dev: DevJson = running): Promise<string> {
  return (await clientCredentials(dev)).access_token;
}
