import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageRecorded } from '@dtplatform/contracts';
import { appClient } from './app-client.js';
import type { AppClient } from './app-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asUser } from './tokens.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';

interface MadeWorkspace {
  _id: string;
  _namespaces: string[];
  _metadata: { _createdAt: number };
}

let app: TestApp;
let client: AppClient;
let olga: string;

beforeAll(async () => {
  app = await startApp();
  client = await appClient(app);
  olga = await client.signIn(await client.createUser('olga'));
});
afterAll(() => app.stop());

describe('changes of workspaces', () => {
  const create = async (more: object = {}) => {
    const { body } = await app.api.post(WORKSPACES).set({ authorization: olga }).send([more]).expect(201);
    return body._list[0] as MadeWorkspace;
  };
  const put = (authorization: string, id: string, body: object) =>
    app.api.put(`${WORKSPACES}/${id}`).set({ authorization }).send(body);
  const get = (authorization: string, id: string) => app.api.get(`${WORKSPACES}/${id}`).set({ authorization });

  it('answer with the workspace, of which only what was sent has changed', async () => {
    const before = await create({ _name: 'Before', _shortName: 'b', _userType: 'site', _userAttributes: { a: 1 } });
    const change = { _name: 'After', _description: 'new', _userAttributes: { b: [1, 'x'], nested: { c: true } } };
    const { body, headers } = await put(olga, before._id, { ...change, _appId: 'ignored', stray: 1 }).expect(200);
    expect(body).toEqual({
      ...before,
      ...change,
      _metadata: { ...before._metadata, _updatedAt: expect.any(Number) },
    });
    expect(headers.etag).toBe('"1"');
    expect((await get(olga, before._id).expect(200)).body).toEqual(body);
    const untouched = (await put(olga, before._id, {}).expect(200)).body;
    expect(untouched).toEqual({ ...body, _metadata: expect.anything() });
  });

  it.each([
    ['_shortName', { _shortName: 'x'.repeat(23) }],
    ['_name', { _name: 7 }],
    ['_name', { _name: null }],
    ['_description', { _description: 'x'.repeat(4097) }],
    ['_userAttributes', { _userAttributes: { $set: 1 } }],
    ['_userAttributes', { _userAttributes: [] }],
    ['_namespaces', { _namespaces: [] }],
    ['_namespaces', { _namespaces: 'one' }],
  ])('refuse a bad %s: %j', async (field, change) => {
    const { _id } = await create();
    const { body } = await put(olga, _id, change).expect(400);
    expect(body.errors[0].location).toMatch(new RegExp(`^body\\.${field}`));
  });

  it('keep to the namespaces that the workspace has', async () => {
    const [mine, other] = [await create(), await create()];
    await put(olga, mine._id, { _namespaces: mine._namespaces }).expect(200);
    for (const _namespaces of [other._namespaces, [...mine._namespaces, ...other._namespaces], ['made-up']]) {
      const { body } = await put(olga, mine._id, { _namespaces }).expect(400);
      expect(body.code).toBe('NAMESPACE_NOT_IN_WORKSPACE');
    }
    expect((await get(olga, mine._id).expect(200)).body._namespaces).toEqual(mine._namespaces);
  });

  it('need EDIT', async () => {
    const { _id, _namespaces } = await create();
    const ben = await client.signIn(await client.createUser('ben'));
    await put(ben, _id, {}).expect(404);
    await app.grants.allow(client.subjectOf(ben), _namespaces[0]!, `passportsvc:workspace:${_id}`, ['READ']);
    await put(ben, _id, {}).expect(403);
    await app.grants.allow(client.subjectOf(ben), _namespaces[0]!, `passportsvc:workspace:${_id}`, ['EDIT']);
    await put(ben, _id, { _name: 'By Ben' }).expect(200);
    await put(client.trusted, _id, {}).expect(200);
    // Administrators have no implicit permission in namespaces, nor do apps of other organizations.
    for (const authorization of [await asUser(app), client.second]) await put(authorization, _id, {}).expect(404);
    await put(olga, 'f'.repeat(24), {}).expect(404);
    await put(olga, 'no-id', {}).expect(404);
    await app.api.put(`${WORKSPACES}/${_id}`).send({}).expect(401);
  });

  it('are refused when somebody else was faster', async () => {
    const { _id } = await create();
    const responses = await Promise.all(
      Array.from({ length: 4 }, (_, n) => put(olga, _id, { _name: `Name ${n}` }).set('if-match', '"0"')),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
  });
});

describe('usage of workspaces', () => {
  const create = async (count = 1) => {
    const body = Array.from({ length: count }, () => ({}));
    const response = await app.api.post(WORKSPACES).set({ authorization: olga }).send(body).expect(201);
    return response.body._list as { _id: string; _namespaces: string[] }[];
  };
  const messages = () =>
    app.mongo.db.collection<{ _id: string }>('outbox').find({ queue: 'metricsvc.usage' }).toArray();
  /** The sums of all that waits in the outbox (no relay runs), by namespace. */
  const counts = async () => {
    const sums = new Map<string, number>();
    for (const entry of await messages()) {
      const { _namespace, _changes } = UsageRecorded.parse((entry as unknown as { payload: unknown }).payload);
      expect(_changes).toEqual([
        { _metric: 'dtplatform.passportsvc.WorkspaceCount', _dimensions: {}, _amount: expect.any(Number) },
      ]);
      sums.set(_namespace, (sums.get(_namespace) ?? 0) + _changes[0]!._amount);
    }
    return sums;
  };

  it('counts each workspace in its namespaces, until it is deleted', async () => {
    const [kept, gone] = await create(2);
    const [namespace] = kept!._namespaces;
    const [left] = gone!._namespaces;
    expect([(await counts()).get(namespace!), (await counts()).get(left!)]).toEqual([1, 1]);
    await app.api.delete(`${WORKSPACES}/${gone!._id}`).set({ authorization: olga }).expect(204);
    expect([(await counts()).get(namespace!), (await counts()).get(left!)]).toEqual([1, 0]);
  });

  it('counts it no longer in a namespace that it leaves', async () => {
    const [workspace] = await create();
    // Only the platform adds namespaces to a workspace.
    const two = [...workspace!._namespaces, `${workspace!._namespaces[0]!}_b`];
    const workspaces = app.mongo.db.collection<{ _id: string }>('workspaces');
    await workspaces.updateOne({ _id: workspace!._id }, { $set: { _namespaces: two } });
    const put = (body: object) =>
      app.api.put(`${WORKSPACES}/${workspace!._id}`).set({ authorization: olga }).send(body);
    await put({ _name: 'Same' }).expect(200);
    expect((await counts()).get(two[0]!)).toBe(1);
    expect((await counts()).has(two[1]!)).toBe(false);
    await put({ _namespaces: [two[0]] }).expect(200);
    expect((await counts()).get(two[0]!)).toBe(1);
    expect((await counts()).get(two[1]!)).toBe(-1);
  });
});
