import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { actingFor, asApp } from './tokens.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';

describe('workspaces', () => {
  let app: TestApp;
  let trusted: string;
  let olga: string;
  let ben: string;

  const create = (authorization: string, workspaces: unknown) =>
    app.api
      .post(WORKSPACES)
      .set({ authorization })
      .send(workspaces as object);
  const list = (authorization: string, query: object = {}) =>
    app.api.get(WORKSPACES).set({ authorization }).query(query);
  const names = async (authorization: string, query: object) =>
    ((await list(authorization, query).expect(200)).body._list as { _name: string }[]).map(({ _name }) => _name);

  async function newUser(name: string): Promise<string> {
    const user = { userName: `${name}@platform.test`, displayName: name };
    const path = '/passportsvc/api/v1/scim/Users';
    const { body } = await app.api.post(path).set({ authorization: trusted }).send(user).expect(201);
    return actingFor(app, body.id as string);
  }

  beforeAll(async () => {
    app = await startApp();
    trusted = await asApp(app);
    olga = await newUser('Olga');
    ben = await newUser('Ben');
  });
  afterAll(() => app.stop());

  it('are created once per idempotency key', async () => {
    await sendTwice(() => create(olga, [{ _name: 'only once' }]));
    expect(await names(olga, { _name: 'only once' })).toEqual(['only once']);
  });

  it('are not created from names that mean nothing, if the caller prefers that', async () => {
    const strictly = (body: unknown) => create(olga, body).set('prefer', 'handling=strict');
    expect((await strictly([{ name: 'x' }]).expect(400)).body).toMatchObject({
      message: 'Unknown: `name` (did you mean `_name`?).',
      errors: [{ location: 'body.0.name', message: 'is unknown; did you mean `_name`?' }],
    });
    expect((await create(olga, [{ name: 'x', '_userAttributes.a': 1 }]).expect(201)).headers.ignored).toBe('name');
    const { body } = await strictly([{ _name: 'strict', '_userAttributes.colour': 'red' }]).expect(201);
    const [read] = body._list;
    const put = app.api.put(`${WORKSPACES}/${read._id}`).set({ authorization: olga, prefer: 'handling=strict' });
    await put.send({ ...read, _description: 'changed' }).expect(200);
    expect((await list(olga, { limit: 1, '_userAttributes.a': 1 }).expect(200)).headers.ignored).toBe('limit');
  });

  it('are created with a namespace in which their creator may do everything', async () => {
    const response = await create(olga, [
      {
        _name: 'Tower A',
        _shortName: 'towerA',
        _description: 'First',
        _userType: 'site',
        _userAttributes: { floors: 12 },
      },
      { '_userAttributes.colour': 'red', stray: true },
    ]).expect(201);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2 });
    expect(response.headers).not.toHaveProperty('etag');
    const [first, second] = response.body._list;
    expect(first).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _name: 'Tower A',
      _shortName: 'towerA',
      _description: 'First',
      _userType: 'site',
      _namespaces: [expect.stringMatching(/^towerA_[a-z0-9]{8}$/)],
      _userAttributes: { floors: 12 },
      _metadata: {
        _createdAt: expect.any(Number),
        _updatedAt: expect.any(Number),
        _createdById: expect.any(String),
        _updatedById: expect.any(String),
        _createdByName: 'Olga',
        _updatedByName: 'Olga',
      },
    });
    expect(second).toMatchObject({ _userAttributes: { colour: 'red' }, _namespaces: [expect.any(String)] });
    expect(second).not.toHaveProperty('stray');
    const subject = { _type: 'user' as const, _id: first._metadata._createdById as string };
    expect(await app.grants.grantsOf(subject, first._namespaces[0])).toEqual([{ _irn: '*:*:*', _actions: ['*'] }]);

    const shown = await app.api.get(`${WORKSPACES}/${first._id}`).set({ authorization: olga }).expect(200);
    expect(shown.body).toEqual(first);
  });

  it('can be created by an app for itself', async () => {
    const { appId: id, appSecret: secret } = app.dev.second;
    const authorization = await asApp(app, { id, secret });
    const response = await create(authorization, [{ _name: 'Of an app' }]).expect(201);
    expect(await names(authorization, {})).toEqual(['Of an app']);
    const grants = await app.grants.grantsOf({ _type: 'app', _id: id }, response.body._list[0]._namespaces[0]);
    expect(grants).toEqual([{ _irn: '*:*:*', _actions: ['*'] }]);
  });

  it('may have a rare character where the namespace is cut', async () => {
    const wanted = Array.from({ length: 4 }, (_, index) => ({ _name: `${'x'.repeat(37 + index)}𠮷😀` }));
    const { body } = await create(olga, wanted).expect(201);
    for (const { _namespaces } of body._list) expect(_namespaces.join()).not.toMatch(/\p{Surrogate}/u);
  });

  it('can be created from an empty list', async () => {
    const response = await create(olga, []).expect(201);
    expect(response.body).toEqual({ _offset: 0, _pageSize: 0, _total: 0, _list: [] });
  });

  it('are all rejected when one is invalid', async () => {
    const before = (await list(olga).expect(200)).body._total as number;
    const bad = await create(olga, [{ _name: 'Good' }, { _shortName: 'x'.repeat(23) }]).expect(400);
    expect(bad.body.errors).toEqual([{ location: 'body.1._shortName', message: expect.any(String) }]);
    await create(olga, { _name: 'No array' }).expect(400);
    for (const _userAttributes of [{ $where: 1 }, { 'a.b': 1 }, { a: [{ 'b.c': 1 }] }, { a: { $set: 1 } }]) {
      await create(olga, [{ _userAttributes }]).expect(400);
    }
    for (const field of ['_name', '_shortName', '_description', '_userType'])
      await create(olga, [{ [field]: 'a\0b' }]).expect(400);
    await create(olga, [{ _shortName: 'x'.repeat(22) }]).expect(201);
    expect((await list(olga).expect(200)).body._total).toBe(before + 1);
  });

  it('of other users are hidden until they are shared', async () => {
    const [workspace] = (await create(olga, [{ _name: 'Shared later' }]).expect(201)).body._list;
    await app.api.get(`${WORKSPACES}/${workspace._id}`).set({ authorization: ben }).expect(404);
    expect((await list(ben).expect(200)).body).toEqual({ _offset: 0, _pageSize: 25, _total: 0, _list: [] });
    await app.api.get(WORKSPACES).expect(401);

    const benId = JSON.parse(Buffer.from(ben.split('.')[1]!, 'base64url').toString()).sub as string;
    await app.grants.allow(benId, workspace._namespaces[0], `passportsvc:workspace:${workspace._id}`, ['READ']);
    expect(await names(ben, {})).toEqual(['Shared later']);
    await app.api.get(`${WORKSPACES}/${workspace._id}`).set({ authorization: ben }).expect(200);
    await app.grants.revoke(benId, workspace._namespaces[0]);
    expect(await names(ben, {})).toEqual([]);
    await app.api.get(`${WORKSPACES}/${workspace._id}`).set({ authorization: ben }).expect(404);
    // A permission on other resources in the namespace does not reveal the workspace.
    await app.grants.allow(benId, workspace._namespaces[0], 'filesvc:file:*', ['READ']);
    expect(await names(ben, {})).toEqual([]);
  });

  describe('are listed', () => {
    let carl: string;
    beforeAll(async () => {
      carl = await newUser('Carl');
      await create(carl, [
        { _name: 'North Bridge', _shortName: 'nb', _userType: 'bridge', _userAttributes: { length: 120, open: true } },
        { _name: 'South Bridge', _shortName: 'sb', _userType: 'bridge', _userAttributes: { length: 80, open: false } },
        {
          _name: 'Town hall (old)',
          _shortName: 'hall',
          _userType: 'house',
          _description: 'By the bridge',
          _userAttributes: { owner: { name: 'city' } },
        },
      ]).expect(201);
    });

    it.each([
      [{ _name: 'North Bridge' }, ['North Bridge']],
      [{ _shortName: ['nb', 'hall'] }, ['North Bridge', 'Town hall (old)']],
      [{ _userType: 'bridge', _name: 'South Bridge' }, ['South Bridge']],
      [{ '_userAttributes.length': '120' }, ['North Bridge']],
      [{ '_userAttributes.length': ['80', '120'] }, ['North Bridge', 'South Bridge']],
      [{ '_userAttributes.open': 'false' }, ['South Bridge']],
      [{ '_userAttributes.owner.name': 'city' }, ['Town hall (old)']],
      [{ '_userAttributes.length': '999' }, []],
      [{ query: 'bridge' }, ['North Bridge', 'South Bridge', 'Town hall (old)']],
      [{ query: 'north*' }, ['North Bridge']],
      [{ query: '*bridge' }, ['North Bridge', 'South Bridge', 'Town hall (old)']],
      [{ query: 'n*e' }, ['North Bridge']],
      [{ query: '(old)' }, ['Town hall (old)']],
      [{ query: '.*' }, []],
      [{ query: 'sb' }, ['South Bridge']],
      [{ _offset: 1, _pageSize: 1 }, ['South Bridge']],
      [{ stray: '1' }, ['North Bridge', 'South Bridge', 'Town hall (old)']],
    ])('by %j', async (query, expected) => {
      expect(await names(carl, query)).toEqual(expected);
    });

    it.each([
      { query: '\0' },
      { query: 'a\0*' },
      { '_userAttributes.$x': '1' },
      { '_userAttributes.a.$x': '1' },
      { '_userAttributes.': '1' },
      { '_userAttributes.a..b': '1' },
      { [`_userAttributes${'.a'.repeat(180)}`]: '1' },
      { [`_userAttributes.${'a'.repeat(1000)}`]: '1' },
    ])('refuses %j', async (query) => {
      for (const caller of [carl, trusted])
        expect((await list(caller, query).expect(400)).body.code).toBe('BAD_REQUEST');
    });

    it('by a number, not by another one that is rounded to it', async () => {
      const exact = '[{ "_name": "numbers", "_userAttributes": { "n": 9007199254740992 } }]';
      await create(olga, exact).set({ 'content-type': 'application/json' }).expect(201);
      const found = (n: string) => names(olga, { '_userAttributes.n': n, _name: 'numbers' });
      expect(await found('9007199254740992')).toEqual(['numbers']);
      expect(await found('9007199254740993')).toEqual([]);
    });

    it('in pages with a total', async () => {
      const page = await list(carl, { _pageSize: 2 }).expect(200);
      expect(page.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 3 });
      expect((await list(carl, { _pageSize: 0 }).expect(200)).body).toMatchObject({ _total: 3, _list: [] });
      expect((await list(carl, { _pageSize: 5000 }).expect(200)).body._pageSize).toBe(1000);
      for (const bad of [{ _pageSize: 'x' }, { _offset: '-1' }, { _pageSize: '1.5' }])
        await list(carl, bad).expect(400);
    });

    it('completely for a trusted client', async () => {
      expect(await names(trusted, { _userType: 'bridge' })).toEqual(['North Bridge', 'South Bridge']);
    });
  });

  it('are limited by the configuration of the app, even under concurrent requests', async () => {
    const authorization = trusted;
    const limited = await app.api
      .post('/passportsvc/api/v1/apps')
      .set({ authorization })
      .send({
        _name: 'Limited',
        _appOwner: app.admin.userName,
        _orgId: app.orgId,
        _redirectUris: 'http://127.0.0.1:9/callback',
        _configs: { 'workspaces.limit': 3 },
      })
      .expect(201);
    const token = await asApp(app, { id: limited.body._id, secret: limited.body._secret });
    const over = await create(token, [{}, {}, {}, {}]).expect(400);
    expect(over.body.message).toContain('workspaces.limit');
    const responses = await Promise.all(Array.from({ length: 6 }, () => create(token, [{ _name: 'One' }])));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
    // What the app has used of its limit is no change of it.
    const shown = await app.api.get(`/passportsvc/api/v1/apps/${limited.body._id}`).set({ authorization }).expect(200);
    expect(shown.headers.etag).toBe('"0"');
    expect((await list(token).expect(200)).body._total).toBe(3);
  });
});
