import { beforeEach, describe, expect, it } from '@jest/globals';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { Entry } from './start-app.js';

const { here, put, remove, ...client } = setUpNamespaces();
const entry = (irn: string, ...actions: string[]) => entryFor(here.benId, here.namespace, irn, ...actions);
const may = (action: string, irn: string, userId = here.benId) =>
  client.may(here.platform, userId, here.namespace, { action, irn });

describe('PUT /permissions', () => {
  it('grants what the caller holds, and returns the written records', async () => {
    const entries = [entry('filesvc:file:*', 'READ', 'EDIT'), entry('itemsvc:*:*', '*')];
    const { _list } = await put(here.owner, entries);
    const _metadata = { _createdById: here.ownerId, _updatedById: here.ownerId };
    expect(_list).toMatchObject({
      _success: entries.map((written) => ({ ...written, _status: 201, _metadata })),
      _failures: [],
    });
    expect(await may('EDIT', 'filesvc:file:1')).toBe(true);
    expect(await may('DELETE', 'filesvc:file:1')).toBe(false);
    expect(await may('RUN', 'itemsvc:nameduseritem:1')).toBe(true);
  });

  it('ignores unknown keys of a resource', async () => {
    const _resourceDesc = { _irn: 'filesvc:file:stray', _name: 'x', _id: 'y' };
    const { _list } = await put(here.owner, [{ ...entry('filesvc:file:stray', 'READ'), _resourceDesc }]);
    expect(_list._success).toMatchObject([{ _status: 201 }]);
    expect(_list._success[0]!._resourceDesc).toEqual({ _irn: 'filesvc:file:stray' });
    const again = await put(here.owner, [entry('filesvc:file:stray', 'EDIT')]);
    expect(again._list._success).toMatchObject([{ _status: 200 }]);
  });

  it('writes the valid entries and reports the index and code of each invalid one', async () => {
    const good = entry('filesvc:file:1', 'READ');
    const bad = [
      { ...good, _actions: ['FLY'] },
      { ...good, _resourceDesc: { _irn: 'filesvc:file' } },
      { ...good, _resourceDesc: { _irn: 'filesvc:file:1:2' } },
      { ...good, _resourceDesc: { _irn: 'filesvc::1' } },
      { ...good, _resourceDesc: undefined },
      { ...good, _user: { _type: 'robot', _id: 'x' } },
      { ...good, _user: { _type: 'user', _id: '' } },
      { ...good, _namespace: undefined },
      { ...good, _actions: [] },
      { ...good, _actions: 'READ' },
      { ...good, _user: { _type: 'app', _id: 'some-app' } },
      null,
      17,
      'text',
      [],
    ];
    const { _list } = await put(here.owner, [...bad, good]);
    expect(_list._success).toMatchObject([good]);
    expect(_list._failures.map(({ _index, code }) => [_index, code])).toEqual(
      bad.map((_, index) => [index, 'INVALID_ENTRY']),
    );
    expect(_list._failures[0]).toMatchObject({
      ...good,
      _actions: ['FLY'],
      message: expect.stringContaining('_actions'),
    });
  });

  it('looks each user up once, however many entries name it', async () => {
    here.app.asked.length = 0;
    const users = Array.from({ length: 40 }, (_, n) => `user-${n}-${here.namespace}`);
    const entries = users.flatMap((userId) =>
      ['1', '2', '3'].map((id) => entryFor(userId, here.namespace, `filesvc:file:${id}`, 'READ')),
    );
    expect((await put(here.owner, entries))._list._success).toHaveLength(120);
    expect(here.app.asked.map(({ _id }) => _id)).toEqual(users);
  });

  it('requires SHARE, and grants only actions that the caller holds', async () => {
    await put(here.owner, [entry('filesvc:file:1', 'READ', 'EDIT'), entry('filesvc:file:2', 'READ', 'SHARE')]);
    const carl = (irn: string, ...actions: string[]) => entryFor('carl', here.namespace, irn, ...actions);
    const { _list } = await put(here.ben, [
      carl('filesvc:file:1', 'READ'),
      carl('filesvc:file:2', 'READ'),
      carl('filesvc:file:2', 'READ', 'SHARE'),
      carl('filesvc:file:2', 'EDIT'),
      carl('filesvc:file:2', '*'),
      carl('filesvc:file:*', 'READ'),
      carl('*:*:*', 'READ'),
      { ...carl('filesvc:file:2', 'READ'), _namespace: 'elsewhere_1' },
    ]);
    expect(_list._success.map(({ _actions }) => _actions)).toEqual([['READ'], ['READ', 'SHARE']]);
    expect(_list._failures.map(({ _index, code }) => [_index, code])).toEqual(
      [0, 3, 4, 5, 6, 7].map((index) => [index, 'MAY_NOT_GRANT']),
    );
    expect(await may('EDIT', 'filesvc:file:2', 'carl')).toBe(false);
  });

  it('does not reveal whether a user exists to a caller that may not grant', async () => {
    const { _list } = await put(here.ben, [entryFor('unknown-2', here.namespace, 'filesvc:file:1', 'READ')]);
    expect(_list._failures).toMatchObject([{ code: 'MAY_NOT_GRANT' }]);
  });

  it('grants to apps only for trusted clients', async () => {
    const forApp = { ...entry('*:*:*', '*'), _user: { _type: 'app', _id: `app-${here.namespace}` } };
    expect((await put(here.owner, [forApp]))._list._failures).toHaveLength(1);
    expect((await put(here.platform, [forApp]))._list._success).toHaveLength(1);
    const asApp = await here.app.as(forApp._user._id, 'app');
    const question = { _user: forApp._user, _action: 'READ', _irn: 'filesvc:file:1', _namespace: here.namespace };
    const check = here.app.api.post(`${PERMISSIONS}/check`).set({ authorization: asApp });
    expect((await check.send([question]).expect(200)).body._list[0]._allowed).toBe(true);
  });

  it('accepts a thousand entries and an empty list, but no more', async () => {
    const entries = Array.from({ length: 1000 }, (_, n) => entry(`filesvc:file:${n}`, 'READ'));
    expect((await put(here.owner, entries))._list._success).toHaveLength(1000);
    expect(await may('READ', 'filesvc:file:999')).toBe(true);
    expect((await put(here.owner, []))._list).toEqual({ _success: [], _failures: [] });
    await here.app.api
      .put(PERMISSIONS)
      .set({ authorization: here.owner })
      .send([...entries, entry('a:b:c', 'READ')])
      .expect(400);
  });

  it('rejects entries in more than 100 namespaces before it looks anything up', async () => {
    here.app.asked.length = 0;
    const entries = Array.from({ length: 101 }, (_, n) => ({
      ...entry('filesvc:file:1', 'READ'),
      _namespace: `${here.namespace}_${n}`,
    }));
    const call = here.app.api.put(PERMISSIONS).set({ authorization: here.platform });
    expect((await call.send(entries).expect(400)).body.errors).toMatchObject([{ location: 'body' }]);
    expect(here.app.asked).toEqual([]);
    expect((await put(here.platform, [...entries.slice(1), ...entries.slice(1)]))._list._success).toHaveLength(200);
  });

  it('creates one record when several requests write it concurrently', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => put(here.owner, [entry('filesvc:file:race', 'READ')])),
    );
    const written = results.flatMap(({ _list }) => _list._success);
    expect(new Set(written.map(({ _id }) => _id)).size).toBe(1);
    expect(written.filter(({ _status }) => _status === 201)).toHaveLength(1);
  });
});

describe('DELETE /permissions/{id}', () => {
  const grantToBen = async (...actions: string[]) =>
    (await put(here.owner, [entry('filesvc:file:1', ...actions)]))._list._success[0]!._id;

  it('requires SHARE: responds 403 for the caller’s own records, 404 for hidden ones', async () => {
    const id = await grantToBen('READ', 'DELETE');
    await remove(here.ben, id).expect(403);
    await remove(await here.app.as('stranger-2'), id).expect(404);
    expect(await may('READ', 'filesvc:file:1')).toBe(true);
    await grantToBen('READ', 'SHARE');
    await remove(here.ben, id).expect(204);
  });

  it('removes only the revision that If-Match names', async () => {
    const id = await grantToBen('READ');
    await grantToBen('READ', 'EDIT');
    await remove(here.owner, id).set('if-match', '"1"').expect(412);
    expect(await may('EDIT', 'filesvc:file:1')).toBe(true);
    await remove(here.owner, id).set('if-match', '"1", "2"').expect(204);
    expect(await may('EDIT', 'filesvc:file:1')).toBe(false);
  });

  it('never removes a permission that another caller has just replaced', async () => {
    const id = await grantToBen('READ');
    const removal = remove(here.owner, id).set('if-match', '"1"');
    const [{ status }] = await Promise.all([removal, grantToBen('READ', 'EDIT')]);
    expect([204, 412]).toContain(status);
    // Either it was removed first and created again, or it was replaced first and not removed.
    expect(await may('EDIT', 'filesvc:file:1')).toBe(true);
  });
});

describe('GET /permissions', () => {
  const list = (authorization: string, query: Record<string, string> = {}) =>
    client.list(authorization, here.benId, here.namespace, query);
  const irnsIn = (body: { _list: Entry[] }) => body._list.map(({ _resourceDesc }) => _resourceDesc._irn).sort();

  const IRNS = ['*:*:1', 'filesvc:*:*', 'filesvc:file:1', 'filesvc:file:2', 'itemsvc:nameduseritem:1'];
  beforeEach(() =>
    put(
      here.owner,
      IRNS.map((irn) => entry(irn, 'READ')),
    ),
  );

  it.each([
    ['filesvc:file:1', 'false', ['filesvc:file:1']],
    ['filesvc:*:*', 'false', ['filesvc:*:*']],
    ['filesvc:file:1', 'true', ['*:*:1', 'filesvc:*:*', 'filesvc:file:1']],
    ['filesvc:file:*', 'true', ['filesvc:*:*', 'filesvc:file:1', 'filesvc:file:2']],
    ['*:*:*', 'true', IRNS],
  ])(
    'returns the records of %s, with patternmatch=%s those that cover it or that it covers',
    async (irn, patternmatch, irns) => {
      const { body } = await list(here.owner, { '_resourceDesc._irn': irn, patternmatch }).expect(200);
      expect(body).toMatchObject({ _offset: 0, _pageSize: 25, _total: irns.length });
      expect(irnsIn(body)).toEqual(irns);
    },
  );

  it('matches special characters in names literally', async () => {
    await put(here.owner, [entry('filesvc:file:a.b', 'READ'), entry('filesvc:file:axb', 'READ')]);
    const matching = (irn: string) => list(here.owner, { patternmatch: 'true', '_resourceDesc._irn': irn }).expect(200);
    expect(irnsIn((await matching('filesvc:*:a.b')).body)).toEqual(['filesvc:*:*', 'filesvc:file:a.b']);
    await matching('filesvc:(file:[a');
  });

  it('shows callers their own records, and those of others only with SHARE', async () => {
    const seenBy = async (caller: string, query?: Record<string, string>) =>
      irnsIn((await list(caller, query).expect(200)).body);
    const stranger = await here.app.as('stranger');
    for (const caller of [stranger, await here.app.as('root', 'admin')]) expect(await seenBy(caller)).toEqual([]);
    await put(here.owner, [entryFor('stranger', here.namespace, 'filesvc:file:1', 'SHARE')]);
    for (const caller of [here.ben, here.platform, stranger]) expect(await seenBy(caller)).toEqual(['filesvc:file:1']);
    expect(await seenBy(stranger, { '_resourceDesc._irn': 'filesvc:file:2' })).toEqual([]);
    expect(await seenBy(stranger, { '_resourceDesc._irn': '*:*:*', patternmatch: 'true' })).toEqual([]);
  });

  it('shows no records of other namespaces, users or subject types', async () => {
    for (const [name, value] of [
      ['_namespace', 'elsewhere_1'],
      ['_user._id', 'nobody'],
      ['_user._type', 'usergroup'],
    ] as const)
      expect((await list(here.platform, { [name]: value }).expect(200)).body._total).toBe(0);
  });
});
