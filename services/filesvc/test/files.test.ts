import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creator, namesIn, requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

describe('files and folders', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  const { folder, file } = creator(() => olga);

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
  });
  afterAll(() => app.stop());

  describe('a list', () => {
    let parent: string;
    beforeAll(async () => {
      parent = await folder('listed');
      const other = await folder('other');
      await file('a.ifc', { _parents: parent, _tags: 'red,big' });
      await file('b.ifc', { _parents: `${parent},${other}`, _tags: 'red' });
      await file('c.txt', { _parents: parent });
      await uploadClient(app, app.olga).begin('d.txt', 10, { _parents: [parent] });
    });

    const listed = (query: Record<string, unknown>) => olga.get('', { _parents: parent, ...query }).expect(200);

    it('is a page', async () => {
      const { body } = await olga.get('', { _parents: parent, _pageSize: '2', _offset: '1' }).expect(200);
      expect(body).toMatchObject({ _pageSize: 2, _offset: 1, _total: 4, _includeTotal: true });
      expect(body._list).toMatchObject([{ _name: 'b.ifc', _status: 'UPLOAD_COMPLETED' }, { _name: 'c.txt' }]);
      expect((await olga.get('', { _pageSize: '1000' })).body._pageSize).toBe(200);
      expect((await olga.get('')).body._pageSize).toBe(25);
      expect((await listed({ _pageSize: '0' })).body).toMatchObject({ _list: [], _total: 4 });
      await olga.get('', { _pageSize: '-1' }).expect(400);
      await olga.get('', { _offset: 'x' }).expect(400);
      await olga.get('', { nsfilter: undefined }).expect(400);
    });

    it('is filtered by the query', async () => {
      expect(namesIn(await listed({ _tags: 'red' }))).toEqual(['a.ifc', 'b.ifc']);
      expect(namesIn(await listed({ _tags: 'red, big ' }))).toEqual(['a.ifc']);
      expect(namesIn(await listed({ _tags: ['red', 'big'] }))).toEqual(['a.ifc']);
      expect(namesIn(await listed({ _name: '^[ab]\\.' }))).toEqual(['a.ifc', 'b.ifc']);
      expect(namesIn(await listed({ _status: 'UPLOAD_INITIATED' }))).toEqual(['d.txt']);
      expect(namesIn(await listed({ _namespaces: NS }))).toHaveLength(4);
      expect(namesIn(await listed({ _namespaces: 'another' }))).toEqual([]);
      const many = Array.from({ length: 101 }, (_, n) => `ns_${n}`);
      await olga.get('', { _namespaces: [...many.slice(1), ...many.slice(1)].join(',') }).expect(200);
      await olga.get('', { _namespaces: many.join(',') }).expect(400);
      const all = (await listed({})).body._list as { _id: string }[];
      expect(namesIn(await olga.get('', { _ids: `${all[0]!._id},${all[2]!._id}` }))).toEqual(['a.ifc', 'c.txt']);
    });

    it('finds a name in whichever Unicode form it is asked for', async () => {
      const [nfc, nfd, mixed] = ['caf\u00e9-\u00fc', 'cafe\u0301-u\u0308', 'caf\u00e9-u\u0308'] as const;
      const target = await folder('unicode');
      const id = await file(nfd, { _parents: target });
      for (const name of [nfc, mixed]) expect(await file(name, { _parents: target })).toBe(id);
      expect((await olga.get(`/${id}`)).body).toMatchObject({ _name: nfd, _tipVersion: 3 });
      const inner = await folder(mixed, { _parents: await folder('inner', { _parents: target }) });
      for (const name of [nfc, nfd]) {
        const parent = (await olga.get(`/${inner}`)).body._parents[0];
        expect((await olga.folder(name, { _parents: parent }).expect(400)).body.code).toBe('NAME_TAKEN');
        for (const _name of [`^${name}$`, `${name.slice(0, -2)}.`]) {
          expect((await olga.get(`/${target}/children`, { _name })).body._list).toMatchObject([
            { _id: id, _name: nfd },
          ]);
          expect((await olga.get('', { _parents: parent, _name })).body._list).toMatchObject([
            { _id: inner, _name: mixed },
          ]);
        }
      }
      expect((await olga.get(`/${target}/children`, { _name: '^.{6}$' })).body._total).toBe(1);
      await olga.put(id, { _name: `renamed ${nfd}` }).expect(200);
      expect((await olga.get(`/${target}/children`, { _name: `^renamed ${nfc}$` })).body._total).toBe(1);
    });

    it('of several parents has the files in all of them; `root` has the files without a parent', async () => {
      const other = (await olga.get('', { _name: '^other$' })).body._list[0]._id as string;
      expect(namesIn(await listed({ _parents: `${parent},${other}` }))).toEqual(['b.ifc']);
      const root = namesIn(await olga.get('', { _parents: 'root', _pageSize: 200 }));
      expect(root).toContain('listed');
      expect(root).not.toContain('a.ifc');
    });

    it('of children has the files of their parent', async () => {
      const response = await olga.get(`/${parent}/children`, { _name: 'ifc$' }).expect(200);
      expect(namesIn(response)).toEqual(['a.ifc', 'b.ifc']);
      expect(response.body._total).toBe(2);
      await olga.get(`/${'f'.repeat(24)}/children`).expect(404);
    });

    it('is not narrowed by empty parameters, and of no ids is empty', async () => {
      expect((await listed({ _tags: '', _namespaces: undefined })).body._total).toBe(4);
      expect((await listed({ _ids: '' })).body).toMatchObject({ _list: [], _total: 0 });
      const ids = ((await listed({})).body._list as { _id: string }[]).map(({ _id }) => _id);
      const unknown = Array.from({ length: 196 }, (_, n) => n.toString(16).padStart(24, '0'));
      expect((await listed({ _ids: [...ids, ...unknown].join(',') })).body._total).toBe(4);
      expect((await listed({ _ids: ids })).body._total).toBe(4);
      expect((await listed({ _parents: `root,${parent}` })).body._total).toBe(0);
      await olga.get('', { _parents: unknown.join(',') }).expect(400);
    });

    it('of children narrows them by ids, tags and pages, but not by what it does not know', async () => {
      const children = async (query: object) =>
        (await olga.get(`/${parent}/children`, query as never).expect(200)).body;
      const { _list, _total, _includeTotal } = await children({ _pageSize: 3, _offset: 2, stray: 'x' });
      expect([_list.length, _total, _includeTotal]).toEqual([2, 4, true]);
      expect((await children({ _tags: 'red,big' }))._total).toBe(1);
      expect((await children({ _ids: _list[0]._id }))._total).toBe(1);
      expect((await children({ _pageSize: '201' }))._pageSize).toBe(200);
      await olga.get(`/${parent}/children`, { _name: '(?<=a)b' }).expect(400);
    });

    it('has files with the fields of the contract', async () => {
      const [first] = (await listed({})).body._list;
      const { _metadata, _fileVersion, ...fields } = first;
      expect(fields).toEqual({
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        _name: 'a.ifc',
        _type: 'file',
        _irn: `filesvc:file:${first._id}`,
        _status: 'UPLOAD_COMPLETED',
        _namespaces: [NS],
        _parents: [parent],
        _tags: ['red', 'big'],
        _tipId: _fileVersion._id,
        _tipVersion: 1,
        _nextVersion: 2,
        _previews: [],
      });
      expect(_fileVersion).toEqual({
        _id: first._tipId,
        _fileId: first._id,
        _version: 1,
        _fileSize: 5,
        _metadata: expect.any(Object),
      });
      for (const metadata of [_metadata, _fileVersion._metadata]) {
        expect(metadata).toEqual({
          _createdAt: expect.any(Number),
          _updatedAt: expect.any(Number),
          _createdById: 'olga',
          _updatedById: 'olga',
          _createdByName: 'Name of olga',
          _updatedByName: 'Name of olga',
        });
      }
    });

    it('has download URLs of complete files on request', async () => {
      const { body } = await listed({ withUrl: 'true' });
      const [first, , , last] = body._list as { _url?: string }[];
      const download = await fetch(first!._url!);
      expect(await download.text()).toBe('a.ifc');
      expect(download.headers.get('content-disposition')).toContain('attachment');
      expect(last).not.toHaveProperty('_url');
      expect((await listed({})).body._list[0]).not.toHaveProperty('_url');
    });

    it.each([
      ['201 ids', { _ids: Array.from({ length: 201 }, (_, n) => String(n)).join(',') }],
      ['an unknown status', { _status: 'DONE' }],
      ['a broken pattern', { _name: '(' }],
      ['a back-reference', { _name: '(a)\\1' }],
      ['a look-ahead', { _name: '(?=a)' }],
      ['a long pattern', { _name: 'a'.repeat(300) }],
    ])('rejects %s', async (_what, query) => {
      await olga.get('', query).expect(400);
    });

    it('survives a pattern with catastrophic backtracking', async () => {
      await file(`${'a'.repeat(250)}!`);
      const response = await olga.get('', { _name: '^(a|a|aa|a+)+$' });
      expect([200, 400]).toContain(response.status);
      expect((await olga.get('', { _pageSize: 1 })).status).toBe(200);
    });

    it('counts a file in several namespaces once', async () => {
      await app.grants.allow('olga', 'tower_2', '*:*:*', ['*']);
      const before = (await olga.get('', { _namespaces: `${NS},tower_2` })).body._total as number;
      await folder('in both', { _namespaces: `${NS},tower_2` });
      await folder('in one', { _namespaces: `tower_2`, nsfilter: 'tower_2' });
      expect((await olga.get('', { _namespaces: `${NS},tower_2` })).body._total).toBe(before + 2);
      expect((await olga.get('', { _namespaces: 'tower_2' })).body._total).toBe(2);
    });
  });

  describe('an update', () => {
    it('renames and replaces tags, and keeps them when none are sent', async () => {
      const id = await file('old.txt', { _tags: 'a' });
      const before = await olga.get(`/${id}`);
      const renamed = await olga.put(id, { _name: 'new.txt' }).expect(200);
      expect(renamed.body).toMatchObject({ _id: id, _name: 'new.txt', _tags: ['a'], _tipVersion: 1 });
      expect(renamed.headers.etag).not.toBe(before.headers.etag);
      expect((await olga.put(id, { _name: 'new.txt', _tags: ['b'] })).body._tags).toEqual(['b']);
      // The old name is free again; an upload of the new one is a new version.
      expect(await file('old.txt')).not.toBe(id);
      expect(await file('new.txt')).toBe(id);
    });

    it('is rejected for a taken name, a missing file and an invalid body', async () => {
      const id = await file('mine.txt');
      await file('taken.txt');
      expect((await olga.put(id, { _name: 'taken.txt' }).expect(400)).body.code).toBe('NAME_TAKEN');
      expect((await olga.put('f'.repeat(24), { _name: 'x' }).expect(400)).body.code).toBe('FILE_NOT_FOUND');
      expect((await olga.put('nonsense', { _name: 'x' }).expect(400)).body.code).toBe('FILE_NOT_FOUND');
      await olga.put(id, {}).expect(400);
      await olga.put(id, { _name: 'a/b' }).expect(400);
      await olga.put(id, { _name: 'x', _tags: 'no array' }).expect(400);
      await olga.put(id, { _name: 'x', _tags: ['t'.repeat(51)] }).expect(400);
      await olga.put(id, { _name: 'x', _tags: Array.from({ length: 11 }, (_, n) => `${n}`) }).expect(400);
      const tags = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(50));
      expect((await olga.put(id, { _name: 'mine.txt', _tags: tags }).expect(200)).body._tags).toEqual(tags);
      const inner = await folder('mine');
      await folder('taken');
      for (const name of ['taken', 'taken.txt']) {
        expect((await olga.put(inner, { _name: name }).expect(400)).body.code).toBe('NAME_TAKEN');
      }
      expect((await olga.put(id, { _name: 'taken' }).expect(400)).body.code).toBe('NAME_TAKEN');
    });

    it('honours If-Match', async () => {
      const id = await file('guarded.txt');
      const { headers } = await olga.get(`/${id}`);
      await olga.put(id, { _name: 'g2.txt' }).set('if-match', headers.etag!).expect(200);
      await olga.put(id, { _name: 'g3.txt' }).set('if-match', headers.etag!).expect(412);
    });
  });

  it('accepts one of several concurrent writes to the same state', async () => {
    const id = await file('raced.txt');
    const { etag } = (await olga.get(`/${id}`)).headers;
    const rename = (n: number) => olga.put(id, { _name: `raced-${n}.txt` }).set('if-match', etag!);
    const renamed = await Promise.all(Array.from({ length: 10 }, (_, n) => rename(n)));
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);

    const { etag: next } = (await olga.get(`/${id}`)).headers;
    const changed = await Promise.all([
      olga.put(id, { _name: 'raced.txt' }).set('if-match', next!),
      olga.remove(id).set('if-match', next!),
    ]);
    expect(changed.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(changed.filter(({ status }) => [400, 404, 412].includes(status))).toHaveLength(1);
  });

  it('accepts one of many concurrent deletions of the same state', async () => {
    for (const id of [await file('deleted-once.txt'), await folder('deleted once')]) {
      const { etag } = (await olga.get(`/${id}`)).headers;
      await olga.remove(id).set('if-match', '"99"').expect(412);
      const removed = await Promise.all(Array.from({ length: 8 }, () => olga.remove(id).set('if-match', etag!)));
      const statuses = removed.map(({ status }) => status).sort();
      expect(statuses[0]).toBe(204);
      for (const status of statuses.slice(1)) expect([404, 412]).toContain(status);
      await olga.get(`/${id}`).expect(404);
    }
  });

  it('gives a new ETag with each write, and none to lists', async () => {
    const id = await file('tagged.txt');
    const read = (etag: string) => olga.get(`/${id}`).set('if-none-match', etag);
    for (let n = 0; n < 5; n++) {
      const { etag } = (await olga.get(`/${id}`)).headers;
      await read(etag!).expect(304);
      await olga.put(id, { _name: 'tagged.txt' }).expect(200);
      await read(etag!).expect(200);
    }
    expect((await olga.get('').expect(200)).headers).not.toHaveProperty('etag');
  });

  it('removes a file with all its versions and its name', async () => {
    const id = await file('gone.txt');
    await file('gone.txt');
    await olga.remove(id).expect(204);
    await olga.get(`/${id}`).expect(404);
    await olga.get(`/${id}/content`).expect(404);
    await olga.remove(id).expect(404);
    expect(await file('gone.txt')).not.toBe(id);
  });

  it('answers every malformed request with a 4xx in the platform format', async () => {
    const responses = await Promise.all([
      app.api.get(`${FILES}/%00`).set({ authorization: app.olga }).query({ nsfilter: NS }),
      app.api.get(`${FILES}/..%2f..%2fetc`).set({ authorization: app.olga }).query({ nsfilter: NS }),
      app.api.get(`${FILES}/%zz`).set({ authorization: app.olga }).query({ nsfilter: NS }),
      app.api.delete(FILES).set({ authorization: app.olga }).query({ nsfilter: NS }),
      app.api
        .put(`${FILES}/${'f'.repeat(24)}`)
        .set({ authorization: app.olga, 'content-type': 'application/json' })
        .query({ nsfilter: NS })
        .send('{"_name":'),
      app.api.get(`${FILES}/x/y/z`).set({ authorization: app.olga }),
    ]);
    for (const { status, body } of responses) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(body).toMatchObject({ status, code: expect.any(String), requestId: expect.any(String) });
    }
  });
});
