import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { permissionClient } from './permission-client.js';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { Entry, TestApp } from './start-app.js';

let app: TestApp;
let platform: string;
/** Holds all permissions in the test's namespace. */
let owner: string;
let ownerId: string;
/** Holds no permissions. */
let benId: string;
let ben: string;
let namespace: string;

beforeAll(async () => {
  app = await startApp();
  platform = await app.as('platform', 'trusted');
});
afterAll(() => app.stop());
beforeEach(async () => {
  const unique = randomUUID().slice(0, 8);
  [namespace, ownerId, benId] = [`tower_${unique}`, `olga-${unique}`, `ben-${unique}`];
  [owner, ben] = [await app.as(ownerId), await app.as(benId)];
  await put(platform, [entryFor(ownerId, namespace, '*:*:*', '*')]);
});

const entry = (irn: string, ...actions: string[]) => entryFor(benId, namespace, irn, ...actions);
const client = permissionClient(() => app);
const { put } = client;
const list = (authorization: string, query: Record<string, string> = {}) =>
  client.list(authorization, benId, namespace, query);
const irnsIn = (body: { _list: Entry[] }) => body._list.map(({ _resourceDesc }) => _resourceDesc._irn);
describe('GET /permissions', () => {
  beforeEach(async () => {
    await put(
      owner,
      ['filesvc:file:1', 'filesvc:file:2', 'filesvc:*:*', '*:*:1', 'itemsvc:nameduseritem:1'].map((irn) =>
        entry(irn, 'READ'),
      ),
    );
  });

  it('returns the record with exactly that name', async () => {
    const { body } = await list(owner).expect(200);
    expect(body).toMatchObject({ _offset: 0, _pageSize: 25, _total: 1, _list: [entry('filesvc:file:1', 'READ')] });
    const pattern = await list(owner, { '_resourceDesc._irn': 'filesvc:*:*' }).expect(200);
    expect(irnsIn(pattern.body)).toEqual(['filesvc:*:*']);
  });

  it('shows no revisions, and neither lists nor writes have an ETag', async () => {
    const listed = await list(owner).expect(200);
    expect(listed.headers.etag).toBeUndefined();
    expect(listed.body._list[0]).not.toHaveProperty('_revision');
    const entries = [entry('filesvc:file:1', 'EDIT')];
    const written = await app.api.put(PERMISSIONS).set({ authorization: owner }).send(entries).expect(200);
    expect(written.headers.etag).toBeUndefined();
    expect(written.body._list._success[0]).not.toHaveProperty('_revision');
  });

  it('returns the records whose pattern covers the name, with patternmatch', async () => {
    const { body } = await list(owner, { patternmatch: 'true' }).expect(200);
    expect(irnsIn(body).sort()).toEqual(['*:*:1', 'filesvc:*:*', 'filesvc:file:1']);
    expect(body._total).toBe(3);
  });

  it('also returns the records that a pattern covers, with patternmatch', async () => {
    const { body } = await list(owner, { patternmatch: 'true', '_resourceDesc._irn': 'filesvc:file:*' }).expect(200);
    expect(irnsIn(body).sort()).toEqual(['filesvc:*:*', 'filesvc:file:1', 'filesvc:file:2']);
    const everything = await list(owner, { patternmatch: 'true', '_resourceDesc._irn': '*:*:*' }).expect(200);
    expect(everything.body._total).toBe(5);
  });

  it('matches special characters in names literally', async () => {
    await put(owner, [entry('filesvc:file:a.b', 'READ'), entry('filesvc:file:axb', 'READ')]);
    const { body } = await list(owner, { patternmatch: 'true', '_resourceDesc._irn': 'filesvc:*:a.b' }).expect(200);
    expect(irnsIn(body).sort()).toEqual(['filesvc:*:*', 'filesvc:file:a.b']);
    await list(owner, { patternmatch: 'true', '_resourceDesc._irn': 'filesvc:(file:[a' }).expect(200);
  });

  it('returns pages', async () => {
    const all = { patternmatch: 'true', '_resourceDesc._irn': '*:*:*' };
    const first = (await list(owner, { ...all, _pageSize: '2' }).expect(200)).body;
    const rest = (await list(owner, { ...all, _pageSize: '9999', _offset: '2' }).expect(200)).body;
    expect(first).toMatchObject({ _offset: 0, _pageSize: 2, _total: 5 });
    expect(rest).toMatchObject({ _offset: 2, _pageSize: 1000, _total: 5 });
    expect(new Set([...irnsIn(first), ...irnsIn(rest)]).size).toBe(5);
    expect((await list(owner, { ...all, _pageSize: '0' }).expect(200)).body).toMatchObject({ _total: 5, _list: [] });
  });

  it('shows callers their own records, and those of others only with SHARE', async () => {
    expect((await list(ben).expect(200)).body._total).toBe(1);
    const stranger = await app.as('stranger');
    expect((await list(stranger).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    expect((await list(await app.as('root', 'admin')).expect(200)).body._total).toBe(0);
    await put(owner, [entryFor('stranger', namespace, 'filesvc:file:1', 'SHARE')]);
    expect((await list(stranger).expect(200)).body._total).toBe(1);
    expect((await list(stranger, { '_resourceDesc._irn': 'filesvc:file:2' }).expect(200)).body._total).toBe(0);
    expect(
      (await list(stranger, { '_resourceDesc._irn': '*:*:*', patternmatch: 'true' }).expect(200)).body._total,
    ).toBe(0);
    expect((await list(platform).expect(200)).body._total).toBe(1);
  });

  it('shows no records of other namespaces, users or subject types', async () => {
    const others: Record<string, string>[] = [
      { _namespace: 'elsewhere_1' },
      { '_user._id': 'nobody' },
      { '_user._type': 'usergroup' },
    ];
    for (const query of others) {
      expect((await list(platform, query).expect(200)).body._total).toBe(0);
    }
  });

  it.each(['_namespace', '_resourceDesc._irn', '_user._id', '_user._type', 'patternmatch'])(
    'responds 400 without %s',
    async (name) => {
      const query: Record<string, string> = {
        _namespace: namespace,
        '_resourceDesc._irn': 'filesvc:file:1',
        '_user._id': benId,
        '_user._type': 'user',
        patternmatch: 'true',
      };
      delete query[name];
      const reply = await app.api.get(PERMISSIONS).set({ authorization: owner }).query(query).expect(400);
      expect(reply.body.errors).toMatchObject([{ location: `query.${name}` }]);
    },
  );

  it.each<Record<string, string>>([
    { patternmatch: 'maybe' },
    { '_user._type': 'robot' },
    { '_resourceDesc._irn': 'filesvc' },
    { _pageSize: 'many' },
  ])('responds 400 with %j', async (query) => {
    await list(owner, query).expect(400);
  });
});
