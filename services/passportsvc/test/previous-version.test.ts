import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { schema } from '../src/store/schema.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

const API = '/passportsvc/api/v1';

describe('apps, users and workspaces that earlier versions stored without a revision', () => {
  let app: TestApp;
  let authorization: string;
  const migrate = async () => {
    for (const { up } of schema.migrations) await up(app.mongo.db, new AbortController().signal);
  };
  const collection = (name: string) => app.mongo.db.collection<{ _id: string; _revision?: number }>(name);
  const send = (method: 'get' | 'post' | 'put', path: string, body?: object) =>
    app.api[method](API + path)
      .set({ authorization })
      .send(body);

  /** One of each kind: its collection, its path, and a change of it. */
  async function storeAll() {
    const name = `Old ${Math.random()}`;
    const wanted = { _name: name, _redirectUris: 'com.example.app:/back', _authorizedOrigins: '' };
    const owned = { ...wanted, _appOwner: app.admin.userName, _orgId: app.orgId };
    const user = { userName: `${Math.random()}@platform.test` };
    const ids = {
      apps: (await send('post', '/apps', owned).expect(201)).body._id as string,
      users: (await send('post', '/scim/Users', user).expect(201)).body.id as string,
      workspaces: (await send('post', '/workspaces', [{}]).expect(201)).body._list[0]._id as string,
    };
    return [
      { kind: 'apps', id: ids.apps, path: `/apps/${ids.apps}`, change: wanted },
      { kind: 'users', id: ids.users, path: `/scim/Users/${ids.users}`, change: { ...user, displayName: name } },
      { kind: 'workspaces', id: ids.workspaces, path: `/workspaces/${ids.workspaces}`, change: { _name: name } },
    ];
  }
  async function storeOld() {
    const all = await storeAll();
    for (const { kind, id } of all) await collection(kind).updateOne({ _id: id }, { $unset: { _revision: '' } });
    return all;
  }

  beforeAll(async () => {
    app = await startApp();
    authorization = await asApp(app);
  });
  afterAll(() => app.stop());

  it('get revision 0 by the migration, however often it runs; all else stays', async () => {
    const old = await storeOld();
    const current = await storeAll();
    for (const { kind, id } of current) await collection(kind).updateOne({ _id: id }, { $set: { _revision: 7 } });
    const read = (list: typeof old) => Promise.all(list.map(({ kind, id }) => collection(kind).findOne({ _id: id })));
    const [before, others] = [await read(old), await read(current)];
    await migrate();
    await migrate();
    expect(await read(old)).toEqual(before.map((stored) => ({ ...stored, _revision: 0 })));
    expect(await read(current)).toEqual(others);
  });

  it.each(['before', 'after'])('are read and changed as revision 0 %s it', async (when) => {
    const old = await storeOld();
    if (when === 'after') await migrate();
    for (const { path, change } of old) {
      expect((await send('get', path).expect(200)).headers.etag).toMatch(/^(W\/)?"0"$/);
      await send('put', path, change).set('if-match', 'W/"1", "1"').expect(412);
      const changed = await send('put', path, change).set('if-match', 'W/"0", "0"').expect(200);
      expect(changed.headers.etag).toMatch(/^(W\/)?"1"$/);
    }
  });
});
