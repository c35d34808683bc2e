import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import { clientCredentials, createCaller, signIn, type Caller } from '@dtplatform/stack/client';

/** Somebody with a workspace of their own. */
export interface Visitor {
  caller: Caller;
  namespace: string;
}

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** A new user who has signed in and opened a workspace. */
export async function meet(dev: DevJson, signal: AbortSignal): Promise<Visitor> {
  const { access_token: adminToken } = await clientCredentials(dev);
  const mark = randomBytes(6).toString('hex');
  const email = `load-${mark}@example.com`;
  const password = randomBytes(18).toString('base64url');
  await createCaller({ baseUrl: dev.baseUrl, token: adminToken, signal }).call(
    'POST',
    '/passportsvc/api/v1/scim/Users',
    {
      json: {
        ...{ schemas: [USER_SCHEMA], userName: email, password, active: true },
        emails: [{ value: email, type: 'work', primary: true }],
      },
      expect: 201,
    },
  );
  const { access_token: token } = await signIn(dev, { email, password });
  const caller = createCaller({ baseUrl: dev.baseUrl, token, signal });
  const json = [{ _name: 'Load', _shortName: `load_${mark}` }];
  const { body } = await caller.call<{ _list: { _namespaces: string[] }[] }>('POST', '/passportsvc/api/v1/workspaces', {
    json,
    expect: 201,
  });
  return { caller, namespace: body._list[0]!._namespaces[0]! };
}
