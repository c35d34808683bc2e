import { beforeEach, describe, expect, it } from '@jest/globals';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { Entry } from './start-app.js';

const { here, put, ...client } = setUpNamespaces();
const entry = (irn: string, ...actions: string[]) => entryFor(here.benId, here.namespace, irn, ...actions);
const list = (authorization: string, query: Record<string, string> = {}) =>
  client.list(authorization, here.benId, here.namespace, query);
const irnsIn = (body: { _list: Entry[] }) => body._list.map(({ _resourceDesc }) => _resourceDesc._irn);

describe('GET /permissions', () => {
  beforeEach(async () => {
    await put(
      here.owner,
      ['filesvc:file:1', 'filesvc:file:2', 'filesvc:*:*', '*:*:1', 'itemsvc:nameduseritem:1'].map((irn) =>
        entry(irn, 'READ'),
      ),
    );
  });

  it('returns the record with exactly that name', async () => {
    const { body } = await list(here.owner).expect(200);
    expect(body).toMatchObject({ _offset: 0, _pageSize: 25, _total: 1, _list: [entry('filesvc:file:1', 'READ')] });
    const pattern = await list(here.owner, { '_resourceDesc._irn': 'filesvc:*:*' }).expect(200);
    expect(irnsIn(pattern.body)).toEqual(['filesvc:*:*']);
  });

  it('shows no revisions, and neither lists nor writes have an ETag', async () => {
    const listed = await list(here.owner).expect(200);
    expect(listed.headers.etag).toBeUndefined();
    expect(listed.body._list[0]).not.toHaveProperty('_revision');
    const entries = [entry('filesvc:file:1', 'EDIT')];
    const written = await here.app.api.put(PERMISSIONS).set({ authorization: here.owner }).send(entries).expect(200);
    expect(written.headers.etag).toBeUndefined();
    expect(written.body._list._success[0]).not.toHaveProperty('_revision');
  });

  it('returns the records whose pattern covers the name, with patternmatch', async () => {
    const { body } = await list(here.owner, { patternmatch: 'true' }).expect(200);
    expect(irnsIn(body).sort()).toEqual(['*:*:1', 'filesvc:*:*', 'filesvc:file:1']);
    expect(body._total).toBe(3);
  });

  it('also returns the records that a pattern covers, with patternmatch', async () => {
    const { body } = await list(here.owner, { patternmatch: 'true', '_resourceDesc._irn': 'filesvc:file:*' }).expect(
      200,
    );
    expect(irnsIn(body).sort()).toEqual(['filesvc:*:*', 'filesvc:file:1', 'filesvc:file:2']);
    const everything = await list(here.owner, { patternmatch: 'true', '_resourceDesc._irn': '*:*:*' }).expect(200);
    expect(everything.body._total).toBe(5);
  });

  it('matches special characters in names literally', async () => {
    await put(here.owner, [entry('filesvc:file:a.b', 'READ'), entry('filesvc:file:axb', 'READ')]);
    const { body } = await list(here.owner, { patternmatch: 'true', '_resourceDesc._irn': 'filesvc:*:a.b' }).expect(
      200,
    );
    expect(irnsIn(body).sort()).toEqual(['filesvc:*:*', 'filesvc:file:a.b']);
    await list(here.owner, { patternmatch: 'true', '_resourceDesc._irn': 'filesvc:(file:[a' }).expect(200);
  });

  it('returns pages', async () => {
    const all = { patternmatch: 'true', '_resourceDesc._irn': '*:*:*' };
    const first = (await list(here.owner, { ...all, _pageSize: '2' }).expect(200)).body;
    const rest = (await list(here.owner, { ...all, _pageSize: '9999', _offset: '2' }).expect(200)).body;
    expect(first).toMatchObject({ _offset: 0, _pageSize: 2, _total: 5 });
    expect(rest).toMatchObject({ _offset: 2, _pageSize: 1000, _total: 5 });
    expect(new Set([...irnsIn(first), ...irnsIn(rest)]).size).toBe(5);
    expect((await list(here.owner, { ...all, _pageSize: '0' }).expect(200)).body).toMatchObject({
      _total: 5,
      _list: [],
    });
  });

  it('shows callers their own records, and those of others only with SHARE', async () => {
    expect((await list(here.ben).expect(200)).body._total).toBe(1);
    const stranger = await here.app.as('stranger');
    expect((await list(stranger).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    expect((await list(await here.app.as('root', 'admin')).expect(200)).body._total).toBe(0);
    await put(here.owner, [entryFor('stranger', here.namespace, 'filesvc:file:1', 'SHARE')]);
    expect((await list(stranger).expect(200)).body._total).toBe(1);
    expect((await list(stranger, { '_resourceDesc._irn': 'filesvc:file:2' }).expect(200)).body._total).toBe(0);
    expect(
      (await list(stranger, { '_resourceDesc._irn': '*:*:*', patternmatch: 'true' }).expect(200)).body._total,
    ).toBe(0);
    expect((await list(here.platform).expect(200)).body._total).toBe(1);
  });

  it('shows no records of other namespaces, users or subject types', async () => {
    const others: Record<string, string>[] = [
      { _namespace: 'elsewhere_1' },
      { '_user._id': 'nobody' },
      { '_user._type': 'usergroup' },
    ];
    for (const query of others) {
      expect((await list(here.platform, query).expect(200)).body._total).toBe(0);
    }
  });

  it.each(['_namespace', '_resourceDesc._irn', '_user._id', '_user._type', 'patternmatch'])(
    'responds 400 without %s',
    async (name) => {
      const query: Record<string, string> = {
        _namespace: here.namespace,
        '_resourceDesc._irn': 'filesvc:file:1',
        '_user._id': here.benId,
        '_user._type': 'user',
        patternmatch: 'true',
      };
      delete query[name];
      const reply = await here.app.api.get(PERMISSIONS).set({ authorization: here.owner }).query(query).expect(400);
      expect(reply.body.errors).toMatchObject([{ location: `query.${name}` }]);
    },
  );

  it.each<Record<string, string>>([
    { patternmatch: 'maybe' },
    { '_user._type': 'robot' },
    { '_resourceDesc._irn': 'filesvc' },
    { _pageSize: 'many' },
  ])('responds 400 with %j', async (query) => {
    await list(here.owner, query).expect(400);
  });
});
