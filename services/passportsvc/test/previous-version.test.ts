import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { schema } from '../src/store/schema.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

const API = '/passportsvc/api/v1';

let app: TestApp;
let authorization: string;

beforeAll(async () => {
  app = await startApp();
  authorization = await asApp(app);
});
afterAll(() => app.stop());

describe('apps, users and workspaces that earlier versions stored without a revision', () => {
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

const USERS = '/passportsvc/api/v1/scim/Users';

describe('users of the previous version', () => {
  let made = 0;
  const users = () => app.mongo.db.collection<{ _id: string }>('users');
  const all = () => users().find().sort({ _id: 1 }).toArray();
  const migrate = () =>
    schema.migrations.find(({ id }) => id === '0002-user-search')!.up(app.mongo.db, new AbortController().signal);

  /** A user as the previous version stores it: it knows fewer attributes, and nothing of searches. */
  const userOf = (n: number, createdAt: number) => ({
    _id: n.toString(16).padStart(24, '0'),
    _orgId: app.orgId,
    userName: `Old-${n}@Platform.test`,
    _userNameKey: `old-${n}@platform.test`,
    _emailKeys: [`old-${n}@platform.test`, `mail-${n}@platform.test`],
    emails: [{ value: `Mail-${n}@platform.test`, type: 'work', primary: true }],
    name: { givenName: 'Old', familyName: `Ängström-${n}` },
    displayName: '',
    active: true,
    _admin: false,
    _createdAt: createdAt,
    _updatedAt: createdAt,
    _revision: 0,
  });
  async function store(count: number, createdAt = Date.now()): Promise<number[]> {
    const numbers = Array.from({ length: count }, () => ++made);
    await users().insertMany(numbers.map((n) => userOf(n, createdAt)));
    return numbers;
  }
  /** How many users each of the filters finds. */
  async function found(n: number): Promise<number[]> {
    const filters = [
      ...[`emails.value eq "mail-${n}@PLATFORM.test"`, `name.familyName eq "äNGSTRÖM-${n}"`],
      ...[`name.familyName co "gström-${n}" and userName eq "old-${n}@platform.test"`],
      ...[`emails[type eq "WORK" and value sw "mail-${n}@"]`, `displayName pr and userName sw "old-${n}@"`],
    ];
    const replies = filters.map((filter) => app.api.get(USERS).query({ filter }).set({ authorization }).expect(200));
    return (await Promise.all(replies)).map(({ body }) => body.totalResults as number);
  }
  const FOUND = [1, 1, 1, 1, 0];

  it('become searchable by the migration, which changes nothing else and nothing twice', async () => {
    // More than one batch.
    const numbers = await store(1_100, 1);
    const [first, last] = [numbers[0]!, numbers.at(-1)!];
    expect(await found(first)).toEqual([0, 0, 0, 0, 0]);
    const before = await all();
    await migrate();
    for (const n of [first, last]) expect(await found(n)).toEqual(FOUND);
    const after = await all();
    expect(after.map(({ _search, ...user }: { _search?: object; _id: string }) => user)).toEqual(
      before.map(({ _search, ...user }: { _search?: object; _id: string }) => user),
    );
    expect(after.filter((user) => !('_search' in user))).toEqual([]);
    await migrate();
    expect(await all()).toEqual(after);
  });

  it('are stored by the migration as by this version', async () => {
    const [n] = await store(1);
    await migrate();
    const { _id, emails, name } = userOf(n!, 1);
    const sent = { userName: `new-${n}@platform.test`, emails, name, displayName: '' };
    const { body } = await app.api.post(USERS).set({ authorization }).send(sent).expect(201);
    const searchOf = async (id: string) => (await users().findOne<{ _search: object }>({ _id: id }))!._search;
    expect(await searchOf(_id)).toEqual({
      ...(await searchOf(body.id as string)),
      userName: `old-${n}@platform.test`,
    });
  });

  it('are left as they are when this version has changed them meanwhile', async () => {
    const [n] = await store(1);
    const { _id } = userOf(n!, 1);
    const sent = { userName: `old-${n}@platform.test`, name: { familyName: 'New' } };
    await app.api.put(`${USERS}/${_id}`).set({ authorization }).send(sent).expect(200);
    const changed = await users().findOne({ _id });
    await migrate();
    expect(await users().findOne({ _id })).toEqual(changed);
    expect(changed).toMatchObject({ _search: { name: { familyName: 'new' } } });
  });
});
