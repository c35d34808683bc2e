import { randomUUID } from 'node:crypto';
import { newUser } from './page-client.js';
import type { TestApp } from './start-app.js';
import { actingFor, asApp } from './tokens.js';

const API = '/passportsvc/api/v1';

export interface TestUser {
  id: string;
  email: string;
  userName: string;
  password: string;
  authorization: string;
}

/** Calls of the user groups API by a given caller. @param app started before the first call */
export const groupClient = (app: () => TestApp) => {
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, authorization: string, body?: unknown) =>
    app().send(method, `${API}${path}`, authorization, body);
  const create = (authorization: string, groups: unknown) => send('post', '/usergroups', authorization, groups);

  return {
    send,
    create,
    /** Creates one group. @returns its id */
    newGroup: async (authorization: string, group: object = { _name: 'Planners' }): Promise<string> =>
      (await create(authorization, [group]).expect(201)).body._list[0]._id as string,
    list: (authorization: string, query: object = {}) => send('get', '/usergroups', authorization).query(query),
    membersOf: async (authorization: string, groupId: string): Promise<string[]> => {
      const response = await send('get', `/usergroups/${groupId}/users`, authorization).expect(200);
      return (response.body._list as { _id: string }[]).map(({ _id }) => _id);
    },
    /** @param credentials of an app of the organization; the platform's own by default */
    newUser: async (name: string, credentials = app().trusted): Promise<TestUser> => {
      const email = `${name}-${randomUUID()}@platform.test`.toLowerCase();
      const profile = { userName: email, name: { givenName: name, familyName: 'Li' } };
      const user = await newUser(app(), profile, await asApp(app(), credentials));
      return { ...user, email, authorization: await actingFor(app(), user.id) };
    },
  };
};
