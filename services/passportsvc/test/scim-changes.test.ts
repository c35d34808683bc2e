import { beforeAll, describe, expect, it } from '@jest/globals';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const app = useApp();
let trusted: string;
let count = 0;

beforeAll(async () => {
  trusted = await asApp(app);
});

async function create(user: object = {}) {
  const sent = {
    userName: `user-${++count}@patch.test`,
    name: { givenName: 'Anna', familyName: 'Adams' },
    title: 'Engineer',
    emails: [
      { value: 'w@patch.test', type: 'work', primary: true },
      { value: 'h@patch.test', type: 'home' },
    ],
    ...user,
  };
  return (await app.send('post', USERS, trusted, sent).expect(201)).body;
}
const get = (id: string) => app.send('get', `${USERS}/${id}`, trusted);
const put = (id: string, body: object, headers: object = {}) =>
  app.send('put', `${USERS}/${id}`, trusted, body).set({ ...headers });
const patch = (id: string, Operations: unknown, headers: object = {}) =>
  app
    .send('patch', `${USERS}/${id}`, trusted, JSON.stringify({ schemas: [PATCH], Operations }))
    .set({ 'content-type': 'application/scim+json', ...headers });
const remove = (id: string, headers: object = {}) => app.send('delete', `${USERS}/${id}`, trusted).set({ ...headers });
/** A new user after a change. */
async function patched(operations: unknown) {
  const { id } = await create();
  const { body } = await patch(id, operations).expect(200);
  expect((await get(id).expect(200)).body).toEqual(body);
  return body;
}

describe('changes of SCIM users', () => {
  const found = async (filter: string) =>
    (await app.send('get', USERS, trusted).query({ filter })).body as {
      totalResults: number;
      Resources: { id: string }[];
    };

  describe('PUT', () => {
    it('replaces all attributes except the id and the password', async () => {
      const password = 'the password of the one who is replaced';
      const before = await create({ password, externalId: 'x', nickName: 'Annie' });
      const userName = `Renamed-${before.userName}`;
      const name = { givenName: 'B' };
      const { body, headers } = await put(before.id, { schemas: [CORE], id: 'ignored', userName, name }).expect(200);
      const meta = { ...before.meta, lastModified: expect.any(String), version: 'W/"1"' };
      expect(body).toEqual({ schemas: [CORE], id: before.id, userName, name, active: true, meta });
      expect(headers.etag).toBe('W/"1"');
      await expect(asUser(app, { userName, password })).resolves.toMatch(/^Bearer /);
      expect((await found(`userName eq "${userName}"`)).totalResults).toBe(1);
      expect((await found(`nickName eq "annie"`)).totalResults).toBe(0);
    });

    it('leaves a user inactive when active is absent, and accepts the same name in another case', async () => {
      const { id, userName } = await create({ active: false });
      expect((await put(id, { userName: userName.toUpperCase() }).expect(200)).body.active).toBe(false);
    });
  });

  it('requires the entity tag of If-Match, weak or strong', async () => {
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

  it('returns the selected attributes only', async () => {
    const { id, userName } = await create();
    const url = `${USERS}/${id}?attributes=title`;
    const sent = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'title', value: 'T' }] };
    const changes = [app.send('patch', url, trusted, sent), app.send('put', url, trusted, { userName, title: 'T' })];
    for (const change of changes) expect((await change.expect(200)).body).toEqual({ schemas: [CORE], id, title: 'T' });
  });

  it('leaves administrators to administrators and trusted clients', async () => {
    const { Resources } = await found(`userName eq "${app.admin.userName}"`);
    const admin = Resources[0]!.id;
    const set = [{ op: 'replace', path: 'password', value: 'taken over by an app' }];
    const authorization = await asApp(app, app.shortLived);
    await patch(admin, set, { authorization }).expect(403);
    await remove(admin, { authorization }).expect(403);
    const title = [{ op: 'replace', path: 'title', value: 'T' }];
    await patch(admin, title, { authorization: await asUser(app) }).expect(200);
  });

  it('frees the user name when the user is deleted', async () => {
    const { id, userName } = await create();
    await remove(id).expect(204);
    await get(id).expect(404);
    await remove(id).expect(404);
    await create({ userName });
  });
});

const HOME = 'emails[type eq "home"]';
const FAX = { phoneNumbers: [{ type: 'fax', value: '2' }] };
const DEPARTMENT = { schemas: [CORE, ENTERPRISE], [ENTERPRISE]: { department: 'D' } };
const MANAGER = { schemas: [CORE, ENTERPRISE], [ENTERPRISE]: { manager: { displayName: 'M' } } };
const TWO_PRIMARY = ['a', 'b'].map((value) => ({ value, primary: true }));
const MANY_VALUES = Array.from({ length: 500 }, (_, n) => ({ value: `${n}` }));
const add = (path: string | undefined, value: unknown) => [{ op: 'add', path, value }];
const replace = (path: string | undefined, value: unknown) => [{ op: 'replace', path, value }];

describe('PATCH', () => {
  it('applies the operations of the contract', async () => {
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
    ['adds a value', add('nickName', 'A'), { nickName: 'A' }],
    ['reads names in any case', [{ OP: 'Add', Path: 'NICKNAME', VALUE: 'A' }], { nickName: 'A' }],
    [
      'replaces without a path',
      replace(undefined, { TITLE: 'Boss', name: { givenName: 'C' } }),
      { title: 'Boss', name: { givenName: 'C', familyName: 'Adams' } },
    ],
    [
      'reads dotted names and value paths as keys',
      replace(undefined, { 'name.givenName': 'D', [`${HOME}.value`]: 'd@x.test' }),
      { name: { givenName: 'D' }, emails: [{}, { value: 'd@x.test' }] },
    ],
    [
      'adds to many values, of which one is primary',
      add('emails', [{ value: 'n@x.test', primary: true }]),
      { emails: [{ primary: false }, {}, { value: 'n@x.test', primary: true }] },
    ],
    ['adds a value that is an object', add('phoneNumbers', { value: '1' }), { phoneNumbers: [{ value: '1' }] }],
    ['adds a value that satisfies the filter', add('phoneNumbers[type eq "fax"].value', '2'), FAX],
    ['replaces many values', replace('emails', [{ value: 'only@x.test' }]), { emails: [{ value: 'only@x.test' }] }],
    ['replaces a part of all values', replace('emails.type', 'x'), { emails: [{ type: 'x' }, { type: 'x' }] }],
    ['replaces a whole value', replace(HOME, { value: 'w@x.test' }), { emails: [{}, { value: 'w@x.test' }] }],
    [
      'makes another value primary',
      replace(`${HOME}.primary`, true),
      { emails: [{ primary: false }, { primary: true }] },
    ],
    ['accepts a path with a schema', replace(`${CORE}:title`, 'E'), { title: 'E' }],
    ['sets a part of the extension', add(`${ENTERPRISE}:manager.displayName`, 'M'), MANAGER],
    ['sets the whole extension', add(undefined, { [ENTERPRISE]: { DEPARTMENT: 'D' } }), DEPARTMENT],
    ['reads booleans as text', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
    [
      'ignores what the server sets',
      replace(undefined, { id: 'x', meta: {}, schemas: [], title: 'T' }),
      { title: 'T' },
    ],
  ])('%s', async (_, operations, expected) => {
    expect(await patched(operations)).toMatchObject(expected);
  });

  it.each<[string, object, object]>([
    ['a text as the value of a manager', { [`${ENTERPRISE}:manager`]: 'm-1' }, { manager: { value: 'm-1' } }],
    ['the same inside the extension', { [ENTERPRISE]: { manager: 'm-1' } }, { manager: { value: 'm-1' } }],
    ['texts that say True and False', { active: 'True', emails: [{ value: 'a@x.test', primary: 'True' }] }, {}],
  ])('accepts %s', async (_, value, extension) => {
    const body = await patched([{ op: 'Replace', value: { active: 'False', ...value } }]);
    expect(body).toMatchObject('emails' in value ? { emails: [{ primary: true }] } : { [ENTERPRISE]: extension });
    expect(body.active).toBe('active' in value);
  });

  it('accepts a string as the value of other attributes, and an empty one as a removal', async () => {
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
    const { body: replaced } = await app.send('put', `${USERS}/${body.id}`, trusted, put).expect(200);
    expect(replaced).toMatchObject({ roles: [{ value: 'Reader' }], [ENTERPRISE]: { manager: { value: 'm-2' } } });
  });

  it('ignores unknown attributes without a path, as a PUT does', async () => {
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
  ])('keeps the version for %s', async (_, operation) => {
    const before = await create();
    const { body, headers } = await patch(before.id, [operation]).expect(200);
    expect([body, headers.etag]).toEqual([before, before.meta.version]);
    const again = await put(before.id, { ...before, active: undefined }).expect(200);
    expect(again.body).toEqual(before);
    const other = await patch(before.id, [operation, { op: 'add', path: 'nickName', value: 'A' }]).expect(200);
    expect(other.body.meta.version).not.toBe(before.meta.version);
  });

  it('removes values', async () => {
    expect(await patched([{ op: 'Remove', path: 'TITLE' }])).not.toHaveProperty('title');
    expect(await patched([{ op: 'remove', path: 'emails' }])).not.toHaveProperty('emails');
    const home = [{ value: 'h@patch.test', type: 'home' }];
    expect((await patched([{ op: 'remove', path: 'emails[type eq "work"]' }])).emails).toEqual(home);
    const work = [{ value: 'w@patch.test' }];
    expect((await patched([{ op: 'remove', path: 'emails', value: work }])).emails).toEqual(home);
    const withoutType = await patched([{ op: 'remove', path: `${HOME}.type` }]);
    expect(withoutType.emails[1]).toEqual({ value: 'h@patch.test' });
    expect((await patched([{ op: 'remove', path: 'name.givenName' }])).name).toEqual({ familyName: 'Adams' });
    expect(await patched([{ op: 'replace', path: 'title', value: null }])).not.toHaveProperty('title');
  });

  it.each<[string, unknown, string]>([
    ['an unknown path', add('unknown', 1), 'invalidPath'],
    ['an unknown part', add('name.unknown', 1), 'invalidPath'],
    ['a path into a prototype', add('__proto__.polluted', 1), 'invalidPath'],
    ['a value path on a single-valued attribute', add('title[value eq "x"]', 1), 'invalidPath'],
    ['an internal field', add('_admin', true), 'invalidPath'],
    ['the stored name of the extension', add('enterprise.department', 'x'), 'invalidPath'],
    ['an empty path', add('', 'x'), 'invalidPath'],
    ['a broken filter', add('emails[type eq].value', 'x'), 'invalidFilter'],
    ['a filter that matches nothing', replace('emails[type eq "x"].value', 'x'), 'noTarget'],
    ['a removal that matches nothing', [{ op: 'remove', path: 'emails[type eq "x"]' }], 'noTarget'],
    ['a removal of everything', [{ op: 'remove' }], 'noTarget'],
    ['the id', replace('id', 'x'), 'mutability'],
    ['meta', replace('meta.created', 'x'), 'mutability'],
    ['a removal of the user name', [{ op: 'remove', path: 'userName' }], 'mutability'],
    ['an empty user name', replace('userName', ''), 'invalidValue'],
    ['a number as a title', replace('title', 5), 'invalidValue'],
    ['an object as a title', replace('title', { $set: { _admin: true } }), 'invalidValue'],
    ['a title that is too long', replace('title', 'x'.repeat(600)), 'invalidValue'],
    ['no value', [{ op: 'add', path: 'title' }], 'invalidValue'],
    ['a text without a path', add(undefined, 'x'), 'invalidValue'],
    ['two primary values', replace('emails', TWO_PRIMARY), 'invalidValue'],
    ['too many values', add('roles', MANY_VALUES), 'invalidValue'],
    ['an unknown operation', [{ op: 'move', path: 'title', value: 'x' }], 'invalidValue'],
    ['no operations', [], 'invalidValue'],
    ['too many operations', Array.from({ length: 101 }, () => add('title', 'x')[0]), 'invalidValue'],
  ])('rejects %s and changes nothing', async (_, operations, scimType) => {
    const before = await create();
    const isList = Array.isArray(operations) && operations.length > 0 && operations.length < 100;
    const all = isList ? [...replace('nickName', 'changed'), ...(operations as object[])] : operations;
    const { body } = await patch(before.id, all).expect(400);
    expect(body).toMatchObject({ status: '400', scimType });
    expect((await get(before.id).expect(200)).body).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
  });

  it('rejects a body of another schema', async () => {
    const body = { schemas: ['other'], Operations: [{ op: 'remove', path: 'title' }] };
    await app.send('patch', `${USERS}/${(await create()).id}`, trusted, body).expect(400);
  });

  it('applies concurrent operations one after another', async () => {
    const { id } = await create();
    const types = ['a', 'b', 'c', 'd'];
    await Promise.all(types.map((value) => patch(id, add('roles', [{ value }])).expect(200)));
    const { body } = await get(id).expect(200);
    expect((body.roles as { value: string }[]).map(({ value }) => value).sort()).toEqual(types);
    expect(body.meta.version).toBe('W/"4"');
  });
});
