import type { TestApp } from './start-app.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Writes users as an app does. */
export function createUserClient({ api }: Pick<TestApp, 'api'>, authorization: string) {
  const post = (user: object) =>
    api
      .post(USERS)
      .set({ authorization })
      .send({ schemas: [CORE], ...user });
  return {
    create: async (user: object): Promise<{ id: string }> => (await post(user).expect(201)).body,
    /** @param user with a taken user name */
    reject: async (user: object) => void (await post(user).expect(409)),
    update: async (id: string, user: object) =>
      void (await api
        .put(`${USERS}/${id}`)
        .set({ authorization })
        .send({ schemas: [CORE], id, ...user })
        .expect(200)),
    remove: async (id: string) => void (await api.delete(`${USERS}/${id}`).set({ authorization }).expect(204)),
  };
}
