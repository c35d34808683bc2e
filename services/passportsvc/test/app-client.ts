import type { TestApp } from './start-app.js';
import { REDIRECT_URI } from './start-app.js';
import { asApp, asUser, claimsOf } from './tokens.js';

export const APPS = '/passportsvc/api/v1/apps';
const USERS = '/passportsvc/api/v1/scim/Users';

export interface TestUser {
  userName: string;
  password: string;
}

/** Creates users and applications of an organization in a test. */
export async function appClient(app: TestApp) {
  const trusted = await asApp(app);
  const second = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });

  async function createUser(name: string, authorization = trusted): Promise<TestUser> {
    const user = { userName: `${name}-${Math.random()}@platform.test`, password: `the password of ${name}` };
    await app.api.post(USERS).set({ authorization }).send(user).expect(201);
    return user;
  }

  return {
    trusted,
    /** An app of the second organization. */
    second,
    createUser,
    /** The id of the subject of an `Authorization` header. */
    subjectOf: (authorization: string) => String(claimsOf(authorization.slice('Bearer '.length)).sub),
    signIn: (user: TestUser) => asUser(app, user),
    async createApp(owner: TestUser, more: object = {}, authorization = trusted) {
      const wanted = {
        _name: `App ${Math.random()}`,
        _appOwner: owner.userName,
        _orgId: app.orgId,
        _redirectUris: REDIRECT_URI,
        ...more,
      };
      const { body } = await app.api.post(APPS).set({ authorization }).send(wanted).expect(201);
      const { _id: id, _secret: secret, _namespaces } = body as { _id: string; _secret: string; _namespaces: string[] };
      return { id, secret, namespace: _namespaces[0]!, body: body as Record<string, unknown> };
    },
  };
}

export type AppClient = Awaited<ReturnType<typeof appClient>>;
