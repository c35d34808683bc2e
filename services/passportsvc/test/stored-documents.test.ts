import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, authorizeUrl, codeFor, redeem } from './tokens.js';

const API = '/passportsvc/api/v1';

describe('stored documents', () => {
  let app: TestApp;
  const stored = (collection: string) => app.deps.mongo.db.collection(collection).find().sort({ _id: -1 }).toArray();

  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('leave out what is not given', async () => {
    await redeem(app, await codeFor(app), {}, app.trusted).expect(200);
    const { pathname, search } = authorizeUrl(app);
    await app.api.get(pathname + search).expect(303);
    const authorization = await asApp(app);
    const user = { userName: 'a', emails: [{ value: 'a@platform.test', type: null }], name: { givenName: null } };
    await app.api.post(`${API}/scim/Users`).set({ authorization }).send(user).expect(201);
    await app.api.post(`${API}/scim/Users`).set({ authorization }).send({ userName: 'b' }).expect(201);

    for (const collection of ['apps', 'users', 'oauth_sessions', 'oauth_interactions']) {
      expect(JSON.stringify(await stored(collection))).not.toContain('null');
    }
    const [second, first] = await stored('users');
    expect(first).toMatchObject({ emails: [{ value: 'a@platform.test' }] });
    expect(first).not.toHaveProperty('name');
    for (const field of ['emails', 'name', 'displayName']) expect(second).not.toHaveProperty(field);
  });

  it('hold null for the challenge of a code without one, which a redemption without a verifier looks for', async () => {
    await codeFor(app);
    const [authorization] = await stored('authorizations');
    expect(authorization!.code).toHaveProperty('challenge', null);
  });

  it('hold attributes and configurations as they were sent', async () => {
    const authorization = await asApp(app);
    const _userAttributes = { empty: {}, none: [], 'a-name': 1, nested: { list: [{ a: null }] } };
    await app.api.post(`${API}/workspaces`).set({ authorization }).send([{ _userAttributes }]).expect(201);
    expect(await stored('workspaces')).toEqual([expect.objectContaining({ _userAttributes })]);
    const wanted = {
      _name: 'Limited',
      _appOwner: app.admin.userName,
      _orgId: app.orgId,
      _redirectUris: 'com.example.app:/back',
    };
    const _configs = { 'workspaces.limit': '3', 'usergroups.limit': '4' };
    await app.api
      .post(`${API}/apps`)
      .set({ authorization })
      .send({ ...wanted, _configs })
      .expect(201);
    expect(await stored('apps')).toContainEqual(expect.objectContaining({ _name: 'Limited', _configs }));
  });
});
