import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import { clientCredentials, createCaller, signIn, type Caller } from '@dtplatform/stack/client';

/** A user with their own workspace. */
export interface LoadUser {
  id: string;
  credentials: { email: string; password: string };
  caller: Caller;
  namespace: string;
}

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

export async function createLoadUser(dev: DevJson, signal: AbortSignal): Promise<LoadUser> {
  const { access_token: adminToken } = await clientCredentials(dev);
  const mark = randomBytes(6).toString('hex');
  const email = `load-${mark}@example.com`;
  const password = randomBytes(18).toString('base64url');
  const admin = createCaller({ baseUrl: dev.baseUrl, token: adminToken, signal });
  const emails = [{ value: email, type: 'work', primary: true }];
  const user = { schemas: [USER_SCHEMA], userName: email, password, emails, active: true };
  const { body: created } = await admin.call<{ id: string }>('POST', '/passportsvc/api/v1/scim/Users', {
    json: user,
    expect: 201,
  });
  const { access_token: token } = await signIn(dev, { email, password });
  const caller = createCaller({ baseUrl: dev.baseUrl, token, signal });
  const json = [{ _name: 'Load', _shortName: `load_${mark}` }];
  const { body } = await caller.call<{ _list: { _namespaces: string[] }[] }>('POST', '/passportsvc/api/v1/workspaces', {
    json,
    expect: 201,
  });
  const namespace = body._list[0]!._namespaces[0]!;
  return { id: created.id, credentials: { email, password }, caller, namespace };
}
