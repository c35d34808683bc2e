import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

const API = '/passportsvc/api/v1';

describe('entity tags', () => {
  let app: TestApp;
  let authorization: string;

  const post = (path: string, body: object) =>
    app.api
      .post(API + path)
      .set({ authorization })
      .send(body)
      .expect(201);
  const get = (path: string, headers: object = {}) => app.api.get(API + path).set({ authorization, ...headers });
  const newApp = () => ({
    _name: `App ${Math.random()}`,
    _appOwner: app.admin.userName,
    _orgId: app.orgId,
    _redirectUris: 'com.example.app:/back',
    _configs: { 'workspaces.limit': 5 },
  });

  beforeAll(async () => {
    app = await startApp();
    authorization = await asApp(app);
  });
  afterAll(() => app.stop());

  it('are the stored revision', async () => {
    const created = await post('/apps', newApp());
    const shown = await get(`/apps/${created.body._id}`).expect(200);
    expect([created.headers.etag, shown.headers.etag]).toEqual(['"0"', '"0"']);
    await get(`/apps/${created.body._id}`, { 'if-none-match': '"0"' }).expect(304);
    const [workspace] = (await post('/workspaces', [{}])).body._list;
    expect((await get(`/workspaces/${workspace._id}`).expect(200)).headers.etag).toBe('"0"');
  });

  it('are weak for SCIM users, and the version in their metadata', async () => {
    const { body, headers } = await post('/scim/Users', { userName: 'tagged@platform.test' });
    expect([body.meta.version, headers.etag]).toEqual(['W/"0"', 'W/"0"']);
    await get(`/scim/Users/${body.id}`, { 'if-none-match': 'W/"0"' }).expect(304);
    await app.deps.mongo.db
      .collection<{ _id: string }>('users')
      .updateOne({ _id: body.id }, { $inc: { _revision: 1 } });
    const changed = await get(`/scim/Users/${body.id}`, { 'if-none-match': 'W/"0"' }).expect(200);
    expect([changed.body.meta.version, changed.headers.etag]).toEqual(['W/"1"', 'W/"1"']);
  });

  it('are missing from lists', async () => {
    expect((await get('/workspaces').expect(200)).headers).not.toHaveProperty('etag');
    expect((await post('/workspaces', [{}])).headers).not.toHaveProperty('etag');
  });

  it('stay when a limit of the app is counted', async () => {
    const { _id: id, _secret: secret } = (await post('/apps', newApp())).body;
    const own = await asApp(app, { id, secret });
    await app.api.post(`${API}/workspaces`).set({ authorization: own }).send([{}, {}]).expect(201);
    expect((await get(`/apps/${id}`).expect(200)).headers.etag).toBe('"0"');
  });

  it('change with the secret of the service client, but not when the migration runs with the same one', async () => {
    const path = `/apps/${app.env.SERVICE_CLIENT_ID!}`;
    await app.migrate();
    expect((await get(path).expect(200)).headers.etag).toBe('"0"');
    await app.migrate({ SERVICE_CLIENT_SECRET: 'another secret of the services' });
    expect((await get(path).expect(200)).headers.etag).toBe('"1"');
  });
});
