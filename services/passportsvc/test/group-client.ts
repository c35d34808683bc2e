import { randomUUID } from 'node:crypto';
import type { TestApp } from './start-app.js';
import { asApp, asUser, claimsOf } from './tokens.js';

const API = '/passportsvc/api/v1';
const GROUPS = `${API}/usergroups`;

export interface TestUser {
  id: string;
  email: string;
  authorization: string;
}

/** Calls of the user groups API, each by the caller that it names. @param app started before the first call */
export const groupClient = (app: () => TestApp) => {
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, authorization: string, body?: unknown) => {
    const request = app().api[method](`${API}${path}`).set({ authorization });
    return body === undefined ? request : request.send(body as object);
  };
  const create = (authorization: string, groups: unknown) => send('post', '/usergroups', authorization, groups);

  return {
    send,
    create,
    /** Creates one group. @returns its id */
    newGroup: async (authorization: string, group: object = { _name: 'Planners' }): Promise<string> =>
      (await create(authorization, [group]).expect(201)).body._list[0]._id as string,
    list: (authorization: string, query: object = {}) => app().api.get(GROUPS).set({ authorization }).query(query),
    membersOf: async (authorization: string, groupId: string): Promise<string[]> => {
      const reply = await send('get', `/usergroups/${groupId}/users`, authorization).expect(200);
      return (reply.body._list as { _id: string }[]).map(({ _id }) => _id);
    },
    /** Creates a user and signs it in. @param credentials of an app of the organization; the platform's own by default */
    newUser: async (name: string, credentials = app().trusted): Promise<TestUser> => {
      const email = `${name}-${randomUUID()}@platform.test`.toLowerCase();
      const user = {
        userName: email,
        password: `the password of ${name}`,
        name: { givenName: name, familyName: 'Li' },
      };
      await send('post', '/scim/Users', await asApp(app(), credentials), user).expect(201);
      const authorization = await asUser(app(), user);
      return { id: claimsOf(authorization).sub as string, email, authorization };
    },
  };
};
