import type { TestApp } from './start-app.js';

const USERS = '/passportsvc/api/v1/scim/Users';

/** Writes users as an app does. */
export const createUserClient = ({ send }: Pick<TestApp, 'send'>, authorization: string) => ({
  create: async (user: object): Promise<{ id: string }> =>
    (await send('post', USERS, authorization, user).expect(201)).body,
  /** @param user with a taken user name */
  reject: async (user: object) => void (await send('post', USERS, authorization, user).expect(409)),
  update: async (id: string, user: object) =>
    void (await send('put', `${USERS}/${id}`, authorization, user).expect(200)),
  remove: async (id: string) => void (await send('delete', `${USERS}/${id}`, authorization).expect(204)),
});
