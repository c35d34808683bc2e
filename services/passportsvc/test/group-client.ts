import { randomUUID } from 'node:crypto';
import { setQuickPassword } from './start-app.js';
import type { TestApp } from './start-app.js';
import { actingFor, asApp } from './tokens.js';

const API = '/passportsvc/api/v1';
const GROUPS = `${API}/usergroups`;

export interface TestUser {
  id: string;
  email: string;
  authorization: string;
}

/** For users created `withPasswords`. */
export const passwordOf = (name: string) => `the password of ${name}`;

/** Calls of the user groups API by a given caller. @param app started before the first call */
export const groupClient = (app: () => TestApp, { withPasswords = false } = {}) => {
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, authorization: string, body?: unknown) =>
    app().send(method, `${API}${path}`, authorization, body);
  const create = (authorization: string, groups: unknown) => send('post', '/usergroups', authorization, groups);

  return {
    send,
    create,
    /** Creates one group. @returns its id */
    newGroup: async (authorization: string, group: object = { _name: 'Planners' }): Promise<string> =>
      (await create(authorization, [group]).expect(201)).body._list[0]._id as string,
    list: (authorization: string, query: object = {}) => app().send('get', GROUPS, authorization).query(query),
    membersOf: async (authorization: string, groupId: string): Promise<string[]> => {
      const response = await send('get', `/usergroups/${groupId}/users`, authorization).expect(200);
      return (response.body._list as { _id: string }[]).map(({ _id }) => _id);
    },
    /** @param credentials of an app of the organization; the platform's own by default */
    newUser: async (name: string, credentials = app().trusted): Promise<TestUser> => {
      const email = `${name}-${randomUUID()}@platform.test`.toLowerCase();
      const user = {
        userName: email,
        name: { givenName: name, familyName: 'Li' },
      };
      const { body } = await send('post', '/scim/Users', await asApp(app(), credentials), user).expect(201);
      const id = body.id as string;
      if (withPasswords) await setQuickPassword(app(), { _id: id }, passwordOf(name));
      return { id, email, authorization: await actingFor(app(), id) };
    },
  };
};
