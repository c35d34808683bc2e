import { beforeAll, describe, expect, it } from '@jest/globals';
import { CORE, PATCH, USERS, useScimUsers } from './scim-changes-client.js';
import { asApp, asUser } from './tokens.js';

const { test, create, get, put, patch, patched, remove } = useScimUsers();

describe('changes of SCIM users', () => {
  let second: string;
  const found = async (filter: string) =>
    (await test.app.api.get(USERS).query({ filter }).set({ authorization: test.authorization })).body as {
      totalResults: number;
      Resources: { id: string }[];
    };
  beforeAll(async () => {
    second = await asApp(test.app, { id: test.app.dev.second.appId, secret: test.app.dev.second.appSecret });
  });

  describe('by PUT', () => {
    it('replace all attributes, and keep the id and the password', async () => {
      const password = 'the password of the one who is replaced';
      const before = await create({ password, externalId: 'x', nickName: 'Annie' });
      const userName = `Renamed-${before.userName}`;
      const response = await put(before.id, {
        schemas: [CORE],
        id: 'ignored',
        userName,
        name: { givenName: 'B' },
      }).expect(200);
      expect(response.body).toEqual({
        schemas: [CORE],
        id: before.id,
        userName,
        name: { givenName: 'B' },
        active: true,
        meta: { ...before.meta, lastModified: expect.any(String), version: 'W/"1"' },
      });
      expect(response.headers.etag).toBe('W/"1"');
      await expect(asUser(test.app, { userName, password })).resolves.toMatch(/^Bearer /);
      expect((await found(`userName eq "${userName}"`)).totalResults).toBe(1);
      expect((await found(`nickName eq "annie"`)).totalResults).toBe(0);
    });

    it('may change the password', async () => {
      const { id, userName } = await create({ password: 'the old password' });
      await put(id, { userName, password: 'the new password' }).expect(200);
      await expect(asUser(test.app, { userName, password: 'the new password' })).resolves.toMatch(/^Bearer /);
      await expect(asUser(test.app, { userName, password: 'the old password' })).rejects.toThrow();
    });

    it('do not reactivate by leaving out active', async () => {
      const { id, userName } = await create({ active: false });
      expect((await put(id, { userName }).expect(200)).body.active).toBe(false);
    });

    it('keep user names unique', async () => {
      const [first, other] = [await create(), await create()];
      const response = await put(other.id, { userName: first.userName.toUpperCase() }).expect(409);
      expect(response.body).toMatchObject({ status: '409', scimType: 'uniqueness' });
      await patch(other.id, [{ op: 'replace', path: 'userName', value: first.userName }]).expect(409);
      await put(first.id, { userName: first.userName.toUpperCase() }).expect(200);
    });
  });

  it('need the entity tag that they name, weak or strong', async () => {
    const { id, userName } = await create();
    const title = [{ op: 'replace', path: 'title', value: 'T' }];
    await patch(id, title, { 'if-match': 'W/"0"' }).expect(200);
    await put(id, { userName }, { 'if-match': '"1"' }).expect(200);
    for (const tag of ['W/"0"', '"1"', 'nonsense']) {
      const rejected = await patch(id, title, { 'if-match': tag }).expect(412);
      expect(rejected.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '412' });
      await put(id, { userName }, { 'if-match': tag }).expect(412);
      await remove(id, { 'if-match': tag }).expect(412);
    }
    await put(id, { userName }, { 'if-match': '*' }).expect(200);
    await remove(id, { 'if-match': 'W/"2"' }).expect(204);
  });

  it('show the attributes that are asked for', async () => {
    const { id, userName } = await create();
    const short = { schemas: [CORE], id, title: 'T' };
    const set = [{ op: 'replace', path: 'title', value: 'T' }];
    const asked = '?attributes=title';
    const send = (method: 'put' | 'patch') =>
      test.app.api[method](`${USERS}/${id}${asked}`).set({ authorization: test.authorization });
    expect(
      (
        await send('patch')
          .send({ schemas: [PATCH], Operations: set })
          .expect(200)
      ).body,
    ).toEqual(short);
    expect((await send('put').send({ userName, title: 'T' }).expect(200)).body).toEqual(short);
  });

  it('belong to the organization of the app, and only administrators and trusted clients change administrators', async () => {
    const { id } = await create();
    const operations = [{ op: 'replace', path: 'title', value: 'T' }];
    await patch(id, operations, { authorization: second }).expect(404);
    await put(id, { userName: 'x' }, { authorization: second }).expect(404);
    await remove(id, { authorization: second }).expect(404);
    await patch('missing', operations).expect(404);

    const short = { id: test.app.dev.shortLived.appId, secret: test.app.dev.shortLived.appSecret };
    const { Resources } = await found(`userName eq "${test.app.admin.userName}"`);
    const admin = Resources[0]!.id;
    const set = [{ op: 'replace', path: 'password', value: 'taken over by an app' }];
    await patch(admin, set, { authorization: await asApp(test.app, short) }).expect(403);
    await remove(admin, { authorization: await asApp(test.app, short) }).expect(403);
    await patch(admin, operations, { authorization: await asUser(test.app) }).expect(200);
  });

  it('end with a deletion', async () => {
    const { id, userName } = await create();
    await remove(id).expect(204);
    await get(id).expect(404);
    await remove(id).expect(404);
    await create({ userName });
  });
});

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe('changes of SCIM users by PATCH', () => {
  it('take the operations of the contract', async () => {
    const body = await patched([
      { op: 'Replace', path: 'name.familyName', value: 'Brown' },
      { op: 'Replace', path: 'name.givenName', value: 'Bea' },
      { op: 'Replace', path: 'emails[type eq \\"work\\"].value', value: 'new@patch.test' },
      { op: 'REPLACE', path: 'userName', value: 'contract@patch.test' },
    ]);
    expect(body).toMatchObject({
      userName: 'contract@patch.test',
      name: { givenName: 'Bea', familyName: 'Brown' },
      emails: [{ value: 'new@patch.test', type: 'work', primary: true }, { value: 'h@patch.test' }],
    });
  });

  it.each<[string, object[], object]>([
    ['add a value', [{ op: 'add', path: 'nickName', value: 'A' }], { nickName: 'A' }],
    ['add one with names in any case', [{ OP: 'Add', Path: 'NICKNAME', VALUE: 'A' }], { nickName: 'A' }],
    [
      'replace without a path',
      [{ op: 'replace', value: { TITLE: 'Boss', name: { givenName: 'C' } } }],
      { title: 'Boss', name: { givenName: 'C', familyName: 'Adams' } },
    ],
    [
      'take dotted names and value paths as keys',
      [{ op: 'replace', value: { 'name.givenName': 'D', 'emails[type eq "home"].value': 'd@x.test' } }],
      { name: { givenName: 'D' }, emails: [{}, { value: 'd@x.test' }] },
    ],
    [
      'add to many values',
      [{ op: 'add', path: 'emails', value: [{ value: 'n@x.test', type: 'other', primary: true }] }],
      { emails: [{ primary: false }, {}, { value: 'n@x.test', primary: true }] },
    ],
    [
      'add one value that is an object',
      [{ op: 'add', path: 'phoneNumbers', value: { value: '1' } }],
      { phoneNumbers: [{ value: '1' }] },
    ],
    [
      'add what the filter asks for',
      [{ op: 'add', path: 'phoneNumbers[type eq "fax"].value', value: '2' }],
      { phoneNumbers: [{ type: 'fax', value: '2' }] },
    ],
    [
      'replace many values',
      [{ op: 'replace', path: 'emails', value: [{ value: 'only@x.test' }] }],
      { emails: [{ value: 'only@x.test' }] },
    ],
    [
      'replace a part of all values',
      [{ op: 'replace', path: 'emails.type', value: 'other' }],
      { emails: [{ type: 'other' }, { type: 'other' }] },
    ],
    [
      'replace a whole value',
      [{ op: 'replace', path: 'emails[type eq "home"]', value: { value: 'w@x.test', type: 'other' } }],
      { emails: [{}, { value: 'w@x.test', type: 'other' }] },
    ],
    [
      'make another value primary',
      [{ op: 'replace', path: 'emails[type eq "home"].primary', value: true }],
      { emails: [{ primary: false }, { primary: true }] },
    ],
    ['take a path with a schema', [{ op: 'replace', path: `${CORE}:title`, value: 'E' }], { title: 'E' }],
    [
      'set the extension',
      [{ op: 'add', path: `${ENTERPRISE}:manager.displayName`, value: 'M' }],
      { schemas: [CORE, ENTERPRISE], [ENTERPRISE]: { manager: { displayName: 'M' } } },
    ],
    [
      'set the whole extension',
      [{ op: 'add', value: { [ENTERPRISE]: { DEPARTMENT: 'D' } } }],
      { [ENTERPRISE]: { department: 'D' } },
    ],
    ['take booleans as text', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
    [
      'ignore what the server sets',
      [{ op: 'replace', value: { id: 'x', meta: {}, schemas: [], title: 'T' } }],
      { title: 'T' },
    ],
  ])('%s', async (_, operations, expected) => {
    expect(await patched(operations)).toMatchObject(expected);
  });

  it.each<[string, object, object]>([
    ['a text as the value of a manager', { [`${ENTERPRISE}:manager`]: 'm-1' }, { manager: { value: 'm-1' } }],
    ['the same inside the extension', { [ENTERPRISE]: { manager: 'm-1' } }, { manager: { value: 'm-1' } }],
    ['texts that say True and False', { active: 'True', emails: [{ value: 'a@x.test', primary: 'True' }] }, {}],
  ])('take %s', async (_, value, extension) => {
    const body = await patched([{ op: 'Replace', value: { active: 'False', ...value } }]);
    expect(body).toMatchObject('emails' in value ? { emails: [{ primary: true }] } : { [ENTERPRISE]: extension });
    expect(body.active).toBe('active' in value);
  });

  it('take a text as the value of other attributes, also with a path, and none as a removal', async () => {
    const manager = `${ENTERPRISE}:manager`;
    const body = await patched([
      { op: 'Add', path: manager, value: 'm-1' },
      { op: 'Add', path: 'phoneNumbers', value: '+49 30 1' },
      { op: 'Replace', path: 'roles', value: ['Reader', 'Writer'] },
      { op: 'Remove', path: 'emails', value: 'h@patch.test' },
    ]);
    expect(body).toMatchObject({
      phoneNumbers: [{ value: '+49 30 1' }],
      roles: [{ value: 'Reader' }, { value: 'Writer' }],
      emails: [{ value: 'w@patch.test' }],
      [ENTERPRISE]: { manager: { value: 'm-1' } },
    });
    const without = await patch(body.id, [{ op: 'Replace', path: manager, value: '' }]).expect(200);
    expect(without.body).not.toHaveProperty([ENTERPRISE]);
    const put = { userName: body.userName, roles: 'Reader', [ENTERPRISE]: { manager: 'm-2' } };
    const { body: replaced } = await test.app.api
      .put(`${USERS}/${body.id}`)
      .set({ authorization: test.authorization })
      .send(put)
      .expect(200);
    expect(replaced).toMatchObject({ roles: [{ value: 'Reader' }], [ENTERPRISE]: { manager: { value: 'm-2' } } });
  });

  it('ignore what is unknown without a path, as a PUT does', async () => {
    const before = await create();
    const unknown = {
      _admin: true,
      unknown: 1,
      'name.unknown': 'x',
      'emails[type eq "work"].unknown': 'x',
      'meta.created': 'x',
      [`${CORE}:department`]: 'x',
      'urn:example:Extension:2.0:User': { color: 'red' },
      'urn:example:Extension:2.0:User:color': 'red',
      [`${ENTERPRISE}:color`]: 'red',
      [ENTERPRISE]: { color: 'red', manager: { color: 'red' } },
      nickName: { color: 'red' }.color,
    };
    for (const op of ['Add', 'Replace']) {
      const value = { active: 'False', ...unknown, title: 'Boss', name: { color: 'red', givenName: 'Bea' } };
      const { body } = await patch(before.id, [{ op, value }]).expect(200);
      const name = { ...before.name, givenName: 'Bea' };
      expect(body).toEqual({ ...before, active: false, title: 'Boss', nickName: 'red', name, meta: expect.anything() });
    }
  });

  it.each<[string, object]>([
    ['a replacement by the same value', { op: 'replace', path: 'title', value: 'Engineer' }],
    ['the whole user', { op: 'replace', value: { title: 'Engineer', active: 'True', unknown: 1 } }],
    ['a value that is there', { op: 'add', path: 'emails', value: [{ value: 'h@patch.test', type: 'home' }] }],
    ['a value of a filter', { op: 'replace', path: 'emails[type eq "home"].value', value: ' h@patch.test' }],
    ['a removal of nothing', { op: 'remove', path: 'nickName' }],
    ['a complex value of which nothing is known', { op: 'add', path: ENTERPRISE, value: { color: 'red' } }],
  ])('that change nothing leave the version: %s', async (_, operation) => {
    const before = await create();
    const { body, headers } = await patch(before.id, [operation]).expect(200);
    expect([body, headers.etag]).toEqual([before, before.meta.version]);
    const again = await put(before.id, { ...before, active: undefined }).expect(200);
    expect(again.body).toEqual(before);
    const other = await patch(before.id, [operation, { op: 'add', path: 'nickName', value: 'A' }]).expect(200);
    expect(other.body.meta.version).not.toBe(before.meta.version);
  });

  it('leave out values that are there already', async () => {
    const value = { value: 'h@patch.test', type: 'home' };
    expect((await patched([{ op: 'add', path: 'emails', value: [value] }])).emails).toHaveLength(2);
  });

  it('remove values', async () => {
    expect(await patched([{ op: 'Remove', path: 'TITLE' }])).not.toHaveProperty('title');
    expect(await patched([{ op: 'remove', path: 'emails' }])).not.toHaveProperty('emails');
    const home = [{ value: 'h@patch.test', type: 'home' }];
    expect((await patched([{ op: 'remove', path: 'emails[type eq "work"]' }])).emails).toEqual(home);
    expect((await patched([{ op: 'remove', path: 'emails', value: [{ value: 'w@patch.test' }] }])).emails).toEqual(
      home,
    );
    expect((await patched([{ op: 'remove', path: 'emails[type eq "home"].type' }])).emails[1]).toEqual({
      value: 'h@patch.test',
    });
    expect((await patched([{ op: 'remove', path: 'name.givenName' }])).name).toEqual({ familyName: 'Adams' });
    expect(await patched([{ op: 'replace', path: 'title', value: null }])).not.toHaveProperty('title');
  });

  it.each<[string, unknown, string]>([
    ['an unknown path', [{ op: 'add', path: 'unknown', value: 1 }], 'invalidPath'],
    ['an unknown part', [{ op: 'add', path: 'name.unknown', value: 1 }], 'invalidPath'],
    ['a path into a prototype', [{ op: 'add', path: '__proto__.polluted', value: 1 }], 'invalidPath'],
    ['a constructor', [{ op: 'add', path: 'constructor.prototype.polluted', value: 1 }], 'invalidPath'],
    ['a value path on a single value', [{ op: 'add', path: 'title[value eq "x"]', value: 1 }], 'invalidPath'],
    ['an internal field', [{ op: 'add', path: '_admin', value: true }], 'invalidPath'],
    ['the stored name of the extension', [{ op: 'add', path: 'enterprise.department', value: 'x' }], 'invalidPath'],
    ['an empty path', [{ op: 'add', path: '', value: 'x' }], 'invalidPath'],
    ['a filter that is broken', [{ op: 'add', path: 'emails[type eq].value', value: 'x' }], 'invalidFilter'],
    ['a filter that matches nothing', [{ op: 'replace', path: 'emails[type eq "x"].value', value: 'x' }], 'noTarget'],
    ['a removal that matches nothing', [{ op: 'remove', path: 'emails[type eq "x"]' }], 'noTarget'],
    ['a removal of everything', [{ op: 'remove' }], 'noTarget'],
    ['the id', [{ op: 'replace', path: 'id', value: 'x' }], 'mutability'],
    ['meta', [{ op: 'replace', path: 'meta.created', value: 'x' }], 'mutability'],
    ['a removal of the user name', [{ op: 'remove', path: 'userName' }], 'mutability'],
    ['an empty user name', [{ op: 'replace', path: 'userName', value: '' }], 'invalidValue'],
    ['a number as a title', [{ op: 'replace', path: 'title', value: 5 }], 'invalidValue'],
    ['an object as a title', [{ op: 'replace', path: 'title', value: { $set: { _admin: true } } }], 'invalidValue'],
    ['a title that is too long', [{ op: 'replace', path: 'title', value: 'x'.repeat(600) }], 'invalidValue'],
    ['no value', [{ op: 'add', path: 'title' }], 'invalidValue'],
    ['a text without a path', [{ op: 'add', value: 'x' }], 'invalidValue'],
    [
      'two primary values',
      [
        {
          op: 'replace',
          path: 'emails',
          value: [
            { value: 'a', primary: true },
            { value: 'b', primary: true },
          ],
        },
      ],
      'invalidValue',
    ],
    [
      'too many values',
      [{ op: 'add', path: 'roles', value: Array.from({ length: 500 }, (_, n) => ({ value: `${n}` })) }],
      'invalidValue',
    ],
    ['an unknown operation', [{ op: 'move', path: 'title', value: 'x' }], 'invalidValue'],
    ['no operations', [], 'invalidValue'],
    ['what is no array', { op: 'add' }, 'invalidValue'],
    [
      'too many operations',
      Array.from({ length: 101 }, () => ({ op: 'add', path: 'title', value: 'x' })),
      'invalidValue',
    ],
  ])('refuse %s, and change nothing', async (_, operations, scimType) => {
    const before = await create();
    const list = Array.isArray(operations) && operations.length > 0 && operations.length < 100;
    const all = list
      ? [{ op: 'replace', path: 'nickName', value: 'changed' }, ...(operations as object[])]
      : operations;
    const { body } = await patch(before.id, all).expect(400);
    expect(body).toMatchObject({ status: '400', scimType });
    const after = await get(before.id).expect(200);
    expect(after.body).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
  });

  it('refuse a forbidden key, and a body without its schema', async () => {
    const { id } = await create();
    const raw = (body: string) =>
      test.app.api
        .patch(`${USERS}/${id}`)
        .set({ authorization: test.authorization, 'content-type': 'application/json' })
        .send(body);
    await raw(`{"schemas":["${PATCH}"],"Operations":[{"op":"add","value":{"__proto__":{"polluted":1}}}]}`).expect(400);
    await raw('{"schemas":["other"],"Operations":[{"op":"remove","path":"title"}]}').expect(400);
    expect({}).not.toHaveProperty('polluted');
  });

  it('happen one after the other when they come together', async () => {
    const { id } = await create();
    const types = ['a', 'b', 'c', 'd'];
    const responses = await Promise.all(
      types.map((value) => patch(id, [{ op: 'add', path: 'roles', value: [{ value }] }])),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await get(id).expect(200);
    expect((body.roles as { value: string }[]).map(({ value }) => value).sort()).toEqual(types);
    expect(body.meta.version).toBe('W/"4"');
  });
});
