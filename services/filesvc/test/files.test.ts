import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creator, namesIn, requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const app = await startApp();
const olga = requests(app, app.olga);
afterAll(() => app.stop());

describe('files', () => {
  const { folder, file } = creator(olga);

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

    it('is a page, in the order of creation', async () => {
      const { body } = await listed({ _pageSize: '2', _offset: '1' });
      expect(body).toMatchObject({ _pageSize: 2, _offset: 1, _total: 4, _includeTotal: true });
      expect(body._list).toMatchObject([{ _name: 'b.ifc', _status: 'UPLOAD_COMPLETED' }, { _name: 'c.txt' }]);
    });

    it.each<[object, string[]]>([
      [{ _tags: 'red' }, ['a.ifc', 'b.ifc']],
      [{ _tags: 'red, big ' }, ['a.ifc']],
      [{ _tags: ['red', 'big'] }, ['a.ifc']],
      [{ _name: '^[ab]\\.' }, ['a.ifc', 'b.ifc']],
      [{ _status: 'UPLOAD_INITIATED' }, ['d.txt']],
      [{ _namespaces: NS }, ['a.ifc', 'b.ifc', 'c.txt', 'd.txt']],
      [{ _namespaces: 'another' }, []],
      [{ _tags: '', _namespaces: undefined }, ['a.ifc', 'b.ifc', 'c.txt', 'd.txt']],
      [{ _ids: '' }, []],
    ])('is filtered by %j', async (query, names) => {
      expect(namesIn(await listed({ ...query }))).toEqual(names);
      const children = await olga.get(`/${parent}/children`, { ...query }).expect(200);
      if (!('_namespaces' in query || '_status' in query)) expect(namesIn(children)).toEqual(names);
    });

    it('is filtered by up to 200 ids', async () => {
      const ids = ((await listed({})).body._list as { _id: string }[]).map(({ _id }) => _id);
      const unknown = Array.from({ length: 197 }, (_, n) => n.toString(16).padStart(24, '0'));
      expect((await listed({ _ids: [...ids, ...unknown.slice(1)].join(',') })).body._total).toBe(4);
      expect(namesIn(await olga.get('', { _ids: [ids[0], ids[2]] }))).toEqual(['a.ifc', 'c.txt']);
      await olga.get('', { _ids: [...ids, ...unknown].join(',') }).expect(400);
    });

    it('is filtered by up to 100 namespaces', async () => {
      const many = Array.from({ length: 101 }, (_, n) => `ns_${n}`);
      await olga.get('', { _namespaces: [...many.slice(1), ...many.slice(1)].join(',') }).expect(200);
      await olga.get('', { _namespaces: many.join(',') }).expect(400);
    });

    it('finds names in any Unicode form', async () => {
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

    it('of several parents has the files that are in all of them', async () => {
      const other = (await olga.get('', { _name: '^other$' })).body._list[0]._id as string;
      expect(namesIn(await listed({ _parents: `${parent},${other}` }))).toEqual(['b.ifc']);
      expect((await listed({ _parents: `root,${parent}` })).body._total).toBe(0);
      const root = namesIn(await olga.get('', { _parents: 'root', _pageSize: 200 }));
      expect(root).toContain('listed');
      expect(root).not.toContain('a.ifc');
    });

    it('shows the fields of the contract', async () => {
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
      const by = { _createdById: 'olga', _createdByName: 'Name of olga' };
      const metadata = { ...by, _updatedById: 'olga', _updatedByName: 'Name of olga' };
      const times = { _createdAt: expect.any(Number), _updatedAt: expect.any(Number) };
      for (const shown of [_metadata, _fileVersion._metadata]) expect(shown).toEqual({ ...metadata, ...times });
    });

    it('has URLs of complete files on request', async () => {
      const { body } = await listed({ withUrl: 'true' });
      const [first, , , last] = body._list as { _url?: string }[];
      const download = await fetch(first!._url!);
      expect(await download.text()).toBe('a.ifc');
      expect(download.headers.get('content-disposition')).toContain('attachment');
      expect(last).not.toHaveProperty('_url');
      expect((await listed({})).body._list[0]).not.toHaveProperty('_url');
    });

    it.each([
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

    it('counts a file of several namespaces once', async () => {
      await app.grants.allow('olga', 'tower_2', '*:*:*', ['*']);
      const before = (await olga.get('', { _namespaces: `${NS},tower_2` })).body._total as number;
      await folder('in both', { _namespaces: `${NS},tower_2` });
      await folder('in one', { _namespaces: `tower_2`, nsfilter: 'tower_2' });
      expect((await olga.get('', { _namespaces: `${NS},tower_2` })).body._total).toBe(before + 2);
      expect((await olga.get('', { _namespaces: 'tower_2' })).body._total).toBe(2);
    });
  });

  describe('an update', () => {
    it('renames, and replaces tags if some are sent', async () => {
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
      for (const body of [
        {},
        { _name: 'a/b' },
        { _name: 'x', _tags: 'no array' },
        { _name: 'x', _tags: ['t'.repeat(51)] },
        { _name: 'x', _tags: Array.from({ length: 11 }, (_, n) => `${n}`) },
      ])
        await olga.put(id, body).expect(400);
      const tags = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(50));
      expect((await olga.put(id, { _name: 'mine.txt', _tags: tags }).expect(200)).body._tags).toEqual(tags);
      const inner = await folder('mine');
      await folder('taken');
      for (const name of ['taken', 'taken.txt']) {
        expect((await olga.put(inner, { _name: name }).expect(400)).body.code).toBe('NAME_TAKEN');
      }
      expect((await olga.put(id, { _name: 'taken' }).expect(400)).body.code).toBe('NAME_TAKEN');
    });
  });

  it('accepts one of several concurrent changes of the same revision', async () => {
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

  it('removes a file with all its versions and its name', async () => {
    const id = await file('gone.txt');
    await file('gone.txt');
    await olga.remove(id).expect(204);
    await olga.get(`/${id}`).expect(404);
    await olga.get(`/${id}/content`).expect(404);
    await olga.remove(id).expect(404);
    expect(await file('gone.txt')).not.toBe(id);
  });
});
