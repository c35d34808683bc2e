import { beforeAll, describe, expect, it } from '@jest/globals';
import { UsageRecorded } from '@dtplatform/contracts';
import { appClient } from './app-client.js';
import type { AppClient } from './app-client.js';
import { useApp } from './start-app.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';
const ALL = [{ _irn: '*:*:*', _actions: ['*'] }];

interface MadeWorkspace {
  _id: string;
  _namespaces: [string];
  _metadata: object;
}

const app = useApp();
let client: AppClient;
let olga: string;
const create = (authorization: string, workspaces: unknown) => app.send('post', WORKSPACES, authorization, workspaces);
const newWorkspace = async (more: object = {}) =>
  (await create(olga, [more]).expect(201)).body._list[0] as MadeWorkspace;
const list = (authorization: string, query: object = {}) => app.send('get', WORKSPACES, authorization).query(query);
const names = async (authorization: string, query: object = {}) =>
  ((await list(authorization, query).expect(200)).body._list as { _name: string }[]).map(({ _name }) => _name);
const get = (authorization: string, id: string) => app.send('get', `${WORKSPACES}/${id}`, authorization);
const put = (id: string, body: object) => app.send('put', `${WORKSPACES}/${id}`, olga, body);

beforeAll(async () => {
  client = await appClient(app);
  ({ olga } = client);
});

describe('creating workspaces', () => {
  it('gives each a namespace in which its creator may do everything', async () => {
    const wanted = { _name: 'Tower A', _shortName: 'towerA', _description: 'First', _userType: 'site' };
    const _userAttributes = { floors: 12, empty: {}, none: [], 'a-name': 1, nested: { list: [{ a: null }] } };
    const other = { '_userAttributes.colour': 'red', stray: true };
    const { body } = await create(olga, [{ ...wanted, _userAttributes }, other]).expect(201);
    expect(body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2 });
    const [first, second] = body._list;
    const { id } = client.owner;
    expect(first).toEqual({
      ...wanted,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _namespaces: [expect.stringMatching(/^towerA_[a-z0-9]{8}$/)],
      _userAttributes,
      _metadata: {
        ...{ _createdAt: expect.any(Number), _createdById: id, _createdByName: expect.any(String) },
        ...{ _updatedAt: expect.any(Number), _updatedById: id, _updatedByName: expect.any(String) },
      },
    });
    expect(second).toMatchObject({ _userAttributes: { colour: 'red' }, _namespaces: [expect.any(String)] });
    expect(second).not.toHaveProperty('stray');
    expect(await app.grants.grantsOf({ _type: 'user', _id: id }, first._namespaces[0])).toEqual(ALL);
    expect((await get(olga, first._id).expect(200)).body).toEqual(first);
  });

  it('grants everything in the namespace to an app that creates one', async () => {
    const { body } = await create(client.second, [{ _name: 'Of an app' }]).expect(201);
    expect(await names(client.second)).toEqual(['Of an app']);
    const subject = { _type: 'app' as const, _id: app.second.id };
    expect(await app.grants.grantsOf(subject, body._list[0]._namespaces[0])).toEqual(ALL);
  });

  it('creates none when one is invalid', async () => {
    const before = (await list(olga).expect(200)).body._total as number;
    const bad = await create(olga, [{ _name: 'Good' }, { _shortName: 'x'.repeat(23) }]).expect(400);
    expect(bad.body.errors).toEqual([{ location: 'body.1._shortName', message: expect.any(String) }]);
    expect((await list(olga).expect(200)).body._total).toBe(before);
    expect((await create(olga, []).expect(201)).body).toEqual({ _offset: 0, _pageSize: 0, _total: 0, _list: [] });
  });
});

describe('lists of workspaces', () => {
  let carl: string;
  beforeAll(async () => {
    carl = (await client.signIn()).authorization;
    const [north, south] = [
      { _name: 'North Bridge', _shortName: 'nb', _userAttributes: { length: 120, open: true } },
      { _name: 'South Bridge', _shortName: 'sb', _userAttributes: { length: 80, open: false } },
    ].map((bridge) => ({ ...bridge, _userType: 'bridge' }));
    const hall = { _name: 'Town hall (old)', _shortName: 'hall', _userType: 'house', _description: 'By the bridge' };
    const _userAttributes = { owner: { name: 'city' }, n: 9007199254740992 };
    await create(carl, [north, south, { ...hall, _userAttributes }]).expect(201);
    // Trusted clients see all workspaces.
    expect(await names(client.trusted, { _userType: 'bridge' })).toEqual(['North Bridge', 'South Bridge']);
  });

  it.each([
    [{ _name: 'North Bridge' }, ['North Bridge']],
    [{ _shortName: ['nb', 'hall'] }, ['North Bridge', 'Town hall (old)']],
    [{ _userType: 'bridge', _name: 'South Bridge' }, ['South Bridge']],
    [{ '_userAttributes.length': ['80', '120'] }, ['North Bridge', 'South Bridge']],
    [{ '_userAttributes.open': 'false' }, ['South Bridge']],
    [{ '_userAttributes.owner.name': 'city' }, ['Town hall (old)']],
    [{ '_userAttributes.length': '999' }, []],
    [{ '_userAttributes.n': '9007199254740992' }, ['Town hall (old)']],
    [{ '_userAttributes.n': '9007199254740993' }, []],
    [{ query: 'bridge' }, ['North Bridge', 'South Bridge', 'Town hall (old)']],
    [{ query: 'north*' }, ['North Bridge']],
    [{ query: 'n*e' }, ['North Bridge']],
    [{ query: '(old)' }, ['Town hall (old)']],
    [{ query: '.*' }, []],
    [{ query: '?T' }, []],
    [{ query: 'sb' }, ['South Bridge']],
    [{ _offset: 1, _pageSize: 1 }, ['South Bridge']],
  ])('find by %j', async (query, expected) => {
    expect(await names(carl, query)).toEqual(expected);
  });

  it.each([
    { query: 'a\0*' },
    { '_userAttributes.a.$x': '1' },
    { '_userAttributes.a..b': '1' },
    { [`_userAttributes${'.a'.repeat(180)}`]: '1' },
    { [`_userAttributes.${'a'.repeat(1000)}`]: '1' },
  ])('reject %j', async (query) => {
    for (const caller of [carl, client.trusted]) await list(caller, query).expect(400);
  });

  it('show a workspace to other users while they may read it, not the rest of its namespace', async () => {
    const { _id, _namespaces } = await newWorkspace({ _name: 'Shared later' });
    const user = await client.signIn();
    const ben = user.authorization;
    expect(await names(ben)).toEqual([]);
    await app.grants.allow(user.id, _namespaces[0], `passportsvc:workspace:${_id}`, ['READ']);
    expect(await names(ben)).toEqual(['Shared later']);
    await get(ben, _id).expect(200);
    await app.grants.revoke(user.id, _namespaces[0]);
    expect(await names(ben)).toEqual([]);
    await get(ben, _id).expect(404);
    await app.grants.allow(user.id, _namespaces[0], 'filesvc:file:*', ['READ']);
    expect(await names(ben)).toEqual([]);
  });
});

describe('changing a workspace', () => {
  it('returns the workspace, in which only the sent fields differ', async () => {
    const wanted = { _name: 'Before', _shortName: 'b', _userType: 'site', _userAttributes: { a: 1 } };
    const before = await newWorkspace(wanted);
    const change = { _name: 'After', _description: 'new', _userAttributes: { b: [1, 'x'], nested: { c: true } } };
    const { body, headers } = await put(before._id, { ...change, _appId: 'ignored', stray: 1 }).expect(200);
    expect(body).toEqual({ ...before, ...change, _metadata: { ...before._metadata, _updatedAt: expect.any(Number) } });
    expect(headers.etag).toBe('"1"');
    expect((await get(olga, before._id).expect(200)).body).toEqual(body);
    expect((await put(before._id, {}).expect(200)).body).toEqual({ ...body, _metadata: expect.anything() });
  });

  it('accepts only namespaces of the workspace, and only valid attributes', async () => {
    const [mine, other] = [await newWorkspace(), await newWorkspace()];
    for (const change of [{ _userAttributes: { $set: 1 } }, { _namespaces: [] }]) {
      const { body } = await put(mine._id, change).expect(400);
      expect(body.errors[0].location).toContain(`body.${Object.keys(change)[0]!}`);
    }
    await put(mine._id, { _namespaces: mine._namespaces }).expect(200);
    for (const _namespaces of [other._namespaces, [...mine._namespaces, ...other._namespaces], ['made-up']]) {
      const { body } = await put(mine._id, { _namespaces }).expect(400);
      expect(body.code).toBe('NAMESPACE_NOT_IN_WORKSPACE');
    }
    expect((await get(olga, mine._id).expect(200)).body._namespaces).toEqual(mine._namespaces);
  });

  it('succeeds for one of several concurrent changes of a revision', async () => {
    const { _id } = await newWorkspace();
    const puts = [1, 2, 3, 4].map((n) => put(_id, { _name: `Name ${n}` }).set('if-match', '"0"'));
    expect((await Promise.all(puts)).map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
  });
});

describe('usage of workspaces', () => {
  /** Usage of namespaces, from messages in the outbox; no relay runs. */
  async function usageOf(namespaces: readonly string[]) {
    const messages = await app.mongo.db.collection('outbox').find({ queue: 'metricsvc.usage' }).toArray();
    const sums = new Map<string, number>();
    for (const { payload } of messages) {
      const { _namespace, _changes } = UsageRecorded.parse(payload);
      const _metric = 'dtplatform.passportsvc.WorkspaceCount';
      expect(_changes).toEqual([{ _metric, _dimensions: {}, _amount: expect.any(Number) }]);
      sums.set(_namespace, (sums.get(_namespace) ?? 0) + _changes[0]!._amount);
    }
    return namespaces.map((namespace) => sums.get(namespace));
  }

  it('counts a workspace in its namespace until it is deleted', async () => {
    const [kept, gone] = [await newWorkspace(), await newWorkspace()];
    const usage = () => usageOf([kept, gone].map(({ _namespaces }) => _namespaces[0]));
    expect(await usage()).toEqual([1, 1]);
    await app.send('delete', `${WORKSPACES}/${gone._id}`, olga).expect(204);
    expect(await usage()).toEqual([1, 0]);
  });

  it('stops counting it in a namespace that it leaves', async () => {
    const { _id, _namespaces } = await newWorkspace();
    // Only the platform adds namespaces to a workspace.
    const two = [_namespaces[0], `${_namespaces[0]}_b`] as const;
    await app.mongo.db.collection<{ _id: string }>('workspaces').updateOne({ _id }, { $set: { _namespaces: two } });
    await put(_id, { _name: 'Same' }).expect(200);
    expect(await usageOf(two)).toEqual([1, undefined]);
    await put(_id, { _namespaces: [two[0]] }).expect(200);
    expect(await usageOf(two)).toEqual([1, -1]);
  });
});
