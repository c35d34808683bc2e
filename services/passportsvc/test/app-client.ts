import { REDIRECT_URI, setQuickPassword } from './start-app.js';
import type { TestApp } from './start-app.js';
import { actingFor, asApp, claimsOf } from './tokens.js';

export const APPS = '/passportsvc/api/v1/apps';
const USERS = '/passportsvc/api/v1/scim/Users';

export interface TestUser {
  id: string;
  userName: string;
}

/** Creates users and applications of an organization in a test. */
export async function appClient(app: TestApp) {
  const trusted = await asApp(app);
  const second = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });

  async function createUser(name: string, authorization = trusted): Promise<TestUser> {
    const userName = `${name}-${Math.random()}@platform.test`;
    const { body } = await app.send('post', USERS, authorization, { userName }).expect(201);
    return { id: body.id as string, userName };
  }

  return {
    trusted,
    /** An untrusted app of the second organization. */
    second,
    createUser,
    subjectOf: (authorization: string) => String(claimsOf(authorization.slice('Bearer '.length)).sub),
    signIn: ({ id }: TestUser) => actingFor(app, id),
    /** Sets a password, with which the user can sign in. @returns the credentials */
    async withPassword({ id, userName }: TestUser) {
      const password = 'the password of a user';
      await setQuickPassword(app, { _id: id }, password);
      return { userName, password };
    },
    async createApp(owner: TestUser, more: object = {}, authorization = trusted) {
      const wanted = {
        _name: `App ${Math.random()}`,
        _appOwner: owner.userName,
        _orgId: app.orgId,
        _redirectUris: REDIRECT_URI,
        ...more,
      };
      const { body } = await app.send('post', APPS, authorization, wanted).expect(201);
      const { _id: id, _secret: secret, _namespaces } = body as { _id: string; _secret: string; _namespaces: string[] };
      return { id, secret, namespace: _namespaces[0]!, body: body as Record<string, unknown> };
    },
  };
}

export type AppClient = Awaited<ReturnType<typeof appClient>>;
