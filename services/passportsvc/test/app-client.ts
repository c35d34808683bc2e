import { newUser } from './page-client.js';
import { REDIRECT_URI } from './start-app.js';
import type { TestApp } from './start-app.js';
import { actingFor, asApp } from './tokens.js';

export type TestUser = Awaited<ReturnType<typeof newUser>>;
export const APPS = '/passportsvc/api/v1/apps';

/** Creates users and applications of an organization in a test. */
export async function appClient(app: TestApp) {
  const trusted = await asApp(app);
  const owner = await newUser(app);

  return {
    trusted,
    /** An untrusted app of the second organization. */
    second: await asApp(app, app.second),
    /** Who owns the created apps, and an `Authorization` header. */
    owner,
    olga: await actingFor(app, owner.id),
    /** A user and an `Authorization` header. */
    async signIn() {
      const user = await newUser(app, {}, trusted);
      return { ...user, authorization: await actingFor(app, user.id) };
    },
    async createApp(more: object = {}, authorization = trusted) {
      const wanted = { _name: `App ${Math.random()}`, _appOwner: owner.userName, _orgId: app.orgId };
      const sent = { ...wanted, _redirectUris: REDIRECT_URI, ...more };
      const { body } = await app.send('post', APPS, authorization, sent).expect(201);
      const { _id: id, _secret: secret, _namespaces } = body as { _id: string; _secret: string; _namespaces: string[] };
      return { id, secret, namespace: _namespaces[0]!, body: body as Record<string, unknown> };
    },
  };
}

export type AppClient = Awaited<ReturnType<typeof appClient>>;
