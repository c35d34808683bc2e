import { afterAll, beforeAll, expect } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

export const USERS = '/passportsvc/api/v1/scim/Users';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Changes SCIM users as a trusted client. */
export function useScimUsers() {
  const test = {} as { app: TestApp; authorization: string };
  let count = 0;

  beforeAll(async () => {
    test.app = await startApp();
    test.authorization = await asApp(test.app);
  });
  afterAll(() => test.app.stop());

  const create = async (user: object = {}) => {
    const sent = {
      userName: `user-${++count}@patch.test`,
      name: { givenName: 'Anna', familyName: 'Adams' },
      title: 'Engineer',
      emails: [
        { value: 'w@patch.test', type: 'work', primary: true },
        { value: 'h@patch.test', type: 'home' },
      ],
      ...user,
    };
    return (await test.app.send('post', USERS, test.authorization, sent).expect(201)).body;
  };
  const get = (id: string) => test.app.send('get', `${USERS}/${id}`, test.authorization);
  const put = (id: string, body: object, headers: object = {}) =>
    test.app.send('put', `${USERS}/${id}`, test.authorization, body).set({ ...headers });
  const patch = (id: string, operations: unknown, headers: object = {}) =>
    test.app
      .send('patch', `${USERS}/${id}`, test.authorization, JSON.stringify({ schemas: [PATCH], Operations: operations }))
      .set({ 'content-type': 'application/scim+json', ...headers });
  const remove = (id: string, headers: object = {}) =>
    test.app.send('delete', `${USERS}/${id}`, test.authorization).set({ ...headers });
  /** A new user after a change. */
  const patched = async (operations: unknown) => {
    const { id } = await create();
    const { body } = await patch(id, operations).expect(200);
    expect((await get(id).expect(200)).body).toEqual(body);
    return body;
  };

  return { test, create, get, put, patch, patched, remove };
}
