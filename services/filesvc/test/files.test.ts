import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { File } from '../src/domain/files/file.js';
import { namesIn, requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

describe('files and folders', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;

  const folder = async (name: string, query = {}) => (await olga.folder(name, query).expect(200)).body._id as string;
  const file = async (name: string, fields = {}) =>
    (await olga.upload(name, name, fields).expect(201)).body[0]._id as string;

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
  });
  afterAll(() => app.stop());

  describe('a folder', () => {
    it('is created from the parameters of the query', async () => {
      const { body } = await olga.folder('plans', { _tags: 'a,b' }).expect(200);
      expect(body).toMatchObject({
        _name: 'plans',
        _type: 'dir',
        _irn: `filesvc:file:${body._id}`,
        _parents: [],
        _namespaces: [NS],
        _tags: ['a', 'b'],
        _metadata: { _createdById: 'olga', _createdByName: 'Name of olga', _createdAt: expect.any(Number) },
      });
      expect(body).not.toHaveProperty('internal');
      const read = await olga.get(`/${body._id}`).expect(200);
      expect(read.body).toEqual(body);
      const head = await app.api.head(`${FILES}/${body._id}`).query({ nsfilter: NS }).set({ authorization: app.olga });
      expect(head.headers).toMatchObject({ etag: read.headers.etag, 'content-length': read.headers['content-length'] });
    });

    it('leaves nothing behind that was put into it while it was removed', async () => {
      const client = uploadClient(app, app.olga);
      for (let round = 0; round < 15; round++) {
        const parent = await folder(`removed ${round}`);
        const { etag } = (await olga.get(`/${parent}`).expect(200)).headers;
        const [child, removed, upload, form] = await Promise.all([
          olga.folder('child', { _parents: parent }),
          olga.remove(parent),
          client.initiate('upload.bin', 3, { _parents: [parent] }),
          olga.upload('form.bin', 'abc', { _parents: parent }),
        ]);
        const stored = await app.mongo.db.collection('files').countDocuments({ _parents: parent });
        if (removed.status === 204) expect([child.status, upload.status, form.status]).toEqual([400, 400, 400]);
        else expect(removed.status).toBe(409);
        expect(stored).toBe([child, upload, form].filter(({ status }) => status < 300).length);
        if (stored > 0) expect((await olga.get(`/${parent}`).expect(200)).headers.etag).toBe(etag);
      }
    });

    it('takes many files at the same time', async () => {
      const parent = await folder('busy');
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, n) => olga.folder(`child ${n}`, { _parents: parent })),
      );
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    });

    it('has a unique name in its parent', async () => {
      const parent = await folder('parent');
      await folder('twin', { _parents: parent });
      const again = await olga.folder('twin', { _parents: parent }).expect(400);
      expect(again.body).toMatchObject({ status: 400, code: 'NAME_TAKEN' });
      await olga.upload('twin', 'a file', { _parents: parent }).expect(400);
      await folder('twin');
    });

    it.each([
      ['no name', { _name: undefined }],
      ['an empty name', { _name: '' }],
      ['a blank name', { _name: '  ' }],
      ['a name of 256 characters', { _name: 'n'.repeat(256) }],
      ['a NUL', { _name: 'a\0b' }],
      ['a control character', { _name: 'a\u0085b' }],
      ['a path', { _name: '../a' }],
      ['the name of the folder above', { _name: '..' }],
      ['no namespaces', { _namespaces: undefined }],
      ['namespaces without its context', { _namespaces: 'another' }],
      ['no context', { nsfilter: undefined }],
      ['a parent that is not there', { _parents: 'f'.repeat(24) }],
      ['a parent that is no id', { _parents: 'x' }],
      ['11 tags', { _tags: 'a,b,c,d,e,f,g,h,i,j,k' }],
      ['a tag of 51 characters', { _tags: 't'.repeat(51) }],
    ])('is rejected with %s', async (_what, query) => {
      await olga.folder('ok', query).expect(400);
    });

    it('accepts a name of 255 characters and non-ASCII names', async () => {
      await folder('n'.repeat(255));
      const id = await folder('Größe 尺寸 📐');
      expect((await olga.get(`/${id}`)).body._name).toBe('Größe 尺寸 📐');
    });

    it('is removed only when it is empty', async () => {
      const parent = await folder('to remove');
      const child = await file('child.txt', { _parents: parent });
      expect((await olga.remove(parent).expect(409)).body.code).toBe('FOLDER_NOT_EMPTY');
      await olga.remove(child).expect(204);
      await olga.remove(parent).expect(204);
      await olga.get(`/${parent}`).expect(404);
      await olga.upload('late.txt', 'x', { _parents: parent }).expect(400);
      await folder('to remove');
    });

    it('is never removed together with a file that is added at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        const parent = await folder(`race ${round}`);
        const [removed, put] = await Promise.all([olga.remove(parent), olga.folder('inside', { _parents: parent })]);
        const isThere = (await olga.get(`/${parent}`)).status === 200;
        expect(removed.status).toBe(isThere ? 409 : 204);
        const children = await olga.get('', { _parents: parent });
        expect(children.body._total).toBe(put.status === 200 ? 1 : 0);
        expect(put.status === 200 && !isThere).toBe(false);
      }
    });
  });

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
      expect(namesIn(await listed({ _tags: 'red,big' }))).toEqual(['a.ifc']);
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

    it('of several parents has the files in all of them; `root` has the files without a parent', async () => {
      const other = (await olga.get('', { _name: '^other$' })).body._list[0]._id as string;
      expect(namesIn(await listed({ _parents: `${parent},${other}` }))).toEqual(['b.ifc']);
      const root = namesIn(await olga.get('', { _parents: 'root', _pageSize: 200 }));
      expect(root).toContain('listed');
      expect(root).not.toContain('a.ifc');
    });

    it('of children has the files of their parent', async () => {
      const reply = await olga.get(`/${parent}/children`, { _name: 'ifc$' }).expect(200);
      expect(namesIn(reply)).toEqual(['a.ifc', 'b.ifc']);
      expect(reply.body._total).toBe(2);
      await olga.get(`/${'f'.repeat(24)}/children`).expect(404);
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
      const reply = await olga.get('', { _name: '^(a|a|aa|a+)+$' });
      expect([200, 400]).toContain(reply.status);
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

  it('accepts new files in a folder again after its removal was rejected', async () => {
    const id = await folder('guarded');
    const stored = await app.deps.mongo.db.collection<File>('files').findOne({ _id: id });
    await expect(app.deps.files.remove(stored!, [stored!._revision + 1])).rejects.toMatchObject({ status: 412 });
    await olga.folder('inside', { _parents: id }).expect(200);
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
    const replies = await Promise.all([
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
    for (const { status, body } of replies) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(body).toMatchObject({ status, code: expect.any(String), requestId: expect.any(String) });
    }
  });
});
