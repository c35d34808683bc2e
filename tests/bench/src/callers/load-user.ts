import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import { clientCredentials, createCaller, type Caller, type Page, signIn } from '@dtplatform/stack/client';

/** A user with their own workspace. */
export interface LoadUser {
  id: string;
  credentials: { email: string; password: string };
  caller: Caller;
  namespace: string;
}

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** The body that creates a user. */
export const scimUser = (email: string, password?: string) => ({
  ...{ schemas: [USER_SCHEMA], userName: email, emails: [{ value: email, type: 'work', primary: true }], active: true },
  ...(password !== undefined && { password }),
});

export async function createLoadUser(dev: DevJson, signal?: AbortSignal): Promise<LoadUser> {
  const { access_token: adminToken } = await clientCredentials(dev);
  const mark = randomBytes(6).toString('hex');
  const credentials = { email: `load-${mark}@example.com`, password: randomBytes(18).toString('base64url') };
  const to = { baseUrl: dev.baseUrl, ...(signal && { signal }) };
  const json = scimUser(credentials.email, credentials.password);
  const admin = createCaller({ ...to, token: adminToken });
  const { body } = await admin.call<{ id: string }>('POST', '/passportsvc/api/v1/scim/Users', { json, expect: 201 });
  const { access_token: token } = await signIn(dev, credentials);
  const caller = createCaller({ ...to, token });
  const namespace = await createWorkspace(caller, { _name: 'Load', _shortName: `load_${mark}` });
  return { id: body.id, credentials, caller, namespace };
}

/** Resolves with its namespace. */
export async function createWorkspace(caller: Caller, workspace: { _name: string; _shortName?: string }) {
  const call = { json: [workspace], expect: 201 };
  const { body } = await caller.call<Page<{ _namespaces: string[] }>>('POST', '/passportsvc/api/v1/workspaces', call);
  return body._list[0]!._namespaces[0]!;
}
