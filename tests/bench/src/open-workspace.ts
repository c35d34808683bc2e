import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import { clientCredentials, createCaller, signIn } from '@dtplatform/stack/client';
import type { Place } from './counts/operations/operation.js';

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Creates a user, who signs in and creates a workspace. */
export async function openWorkspace(dev: DevJson): Promise<Place> {
  const { baseUrl } = dev;
  const { access_token: appToken } = await clientCredentials(dev);
  const credentials = { email: 'bench@example.com', password: randomBytes(18).toString('base64url') };
  const { email, password } = credentials;
  const emails = [{ value: email, type: 'work', primary: true }];
  const admin = createCaller({ baseUrl, token: appToken });
  const { body: created } = await admin.call<{ id: string }>('POST', '/passportsvc/api/v1/scim/Users', {
    json: { schemas: [USER_SCHEMA], userName: email, password, emails, active: true },
    expect: 201,
  });
  const { access_token: token } = await signIn(dev, credentials);
  const caller = createCaller({ baseUrl, token });
  const { body } = await caller.call<{ _list: { _namespaces: string[] }[] }>('POST', '/passportsvc/api/v1/workspaces', {
    json: [{ _name: 'Bench', _shortName: 'bench' }],
    expect: 201,
  });
  return { dev, id: created.id, credentials, caller, namespace: body._list[0]!._namespaces[0]! };
}
