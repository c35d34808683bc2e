import { beforeAll, describe, expect, it } from '@jest/globals';
import { app, as, client, file, folder, olga } from './app.js';
import { namesIn } from './requests.js';
import { FILES, NS } from './start-app.js';

describe('a list of files', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await folder('listed');
    const other = await folder('other');
    await file('a.ifc', { _parents: parent, _tags: 'red,big' });
    await file('b.ifc', { _parents: `${parent},${other}`, _tags: 'red' });
    await file('c.txt', { _parents: parent });
    await client.begin('d.txt', 10, { _parents: [parent] });
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

  it('is filtered by up to 200 ids and 100 namespaces', async () => {
    const ids = ((await listed({})).body._list as { _id: string }[]).map(({ _id }) => _id);
    const unknown = Array.from({ length: 197 }, (_, n) => n.toString(16).padStart(24, '0'));
    expect((await listed({ _ids: [...ids, ...unknown.slice(1)].join(',') })).body._total).toBe(4);
    expect(namesIn(await olga.get('', { _ids: [ids[0], ids[2]] }))).toEqual(['a.ifc', 'c.txt']);
    await olga.get('', { _ids: [...ids, ...unknown].join(',') }).expect(400);
    const many = Array.from({ length: 101 }, (_, n) => `ns_${n}`);
    await listed({ _namespaces: [...many.slice(1), ...many.slice(1)].join(',') });
    await olga.get('', { _namespaces: many.join(',') }).expect(400);
  });

  it('finds names in any Unicode form', async () => {
    const [nfc, nfd, mixed] = ['caf\u00e9-\u00fc', 'cafe\u0301-u\u0308', 'caf\u00e9-u\u0308'] as const;
    const target = await folder('unicode');
    const id = await file(nfd, { _parents: target });
    for (const name of [nfc, mixed]) expect(await file(name, { _parents: target })).toBe(id);
    expect((await olga.get(`/${id}`)).body).toMatchObject({ _name: nfd, _tipVersion: 3 });
    const outer = await folder('inner', { _parents: target });
    const inner = await folder(mixed, { _parents: outer });
    for (const name of [nfc, nfd]) {
      expect((await olga.folder(name, { _parents: outer }).expect(400)).body.code).toBe('NAME_TAKEN');
      for (const _name of [`^${name}$`, `${name.slice(0, -2)}.`]) {
        expect((await olga.get(`/${target}/children`, { _name })).body._list).toMatchObject([{ _id: id, _name: nfd }]);
        expect((await olga.get('', { _parents: outer, _name })).body._list).toMatchObject([
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

  it('has URLs of complete files on request', async () => {
    const { body } = await listed({ withUrl: 'true' });
    const [first, , , last] = body._list as { _url?: string }[];
    const download = await fetch(first!._url!);
    expect(await download.text()).toBe('a.ifc');
    expect(download.headers.get('content-disposition')).toContain('attachment');
    expect(last).not.toHaveProperty('_url');
    expect((await listed({})).body._list[0]).not.toHaveProperty('_url');
  });

  it('rejects patterns that are long or not RE2, and survives catastrophic backtracking', async () => {
    for (const _name of ['(', '(a)\\1', '(?=a)', 'a'.repeat(300)]) await olga.get('', { _name }).expect(400);
    await file(`${'a'.repeat(250)}!`);
    const response = await olga.get('', { _name: '^(a|a|aa|a+)+$' });
    expect([200, 400]).toContain(response.status);
    await olga.get('', { _pageSize: 1 }).expect(200);
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

describe('a change of a file', () => {
  it('renames, and replaces tags if some are sent', async () => {
    const id = await file('old.txt', { _tags: 'a' });
    const before = await olga.get(`/${id}`);
    const renamed = await olga.put(id, { _name: 'new.txt' }).expect(200);
    expect(renamed.body).toMatchObject({ _id: id, _name: 'new.txt', _tags: ['a'], _tipVersion: 1 });
    expect(renamed.headers.etag).not.toBe(before.headers.etag);
    const tags = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(50));
    expect((await olga.put(id, { _name: 'new.txt', _tags: tags })).body._tags).toEqual(tags);
    // The old name is free again; an upload of the new one is a new version.
    expect(await file('old.txt')).not.toBe(id);
    expect(await file('new.txt')).toBe(id);
  });

  it('is rejected for a taken name, a missing file and a path', async () => {
    const [id, inner] = [await file('mine.txt'), await folder('mine')];
    await file('taken.txt');
    await folder('taken');
    for (const own of [id, inner])
      for (const _name of ['taken', 'taken.txt'])
        expect((await olga.put(own, { _name }).expect(400)).body.code).toBe('NAME_TAKEN');
    for (const missing of ['f'.repeat(24), 'nonsense'])
      expect((await olga.put(missing, { _name: 'x' }).expect(400)).body.code).toBe('FILE_NOT_FOUND');
    await olga.put(id, { _name: 'a/b' }).expect(400);
  });

  it('is accepted once of several concurrent ones of the same revision', async () => {
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

  it('can also be its removal, with all its versions and its name', async () => {
    const id = await file('gone.txt');
    await file('gone.txt');
    await olga.remove(id).expect(204);
    for (const path of [`/${id}`, `/${id}/content`]) await olga.get(path).expect(404);
    await olga.remove(id).expect(404);
    expect(await file('gone.txt')).not.toBe(id);
  });
});

describe('a folder', () => {
  it('is created from query parameters', async () => {
    const { body } = await olga.folder('plans', { _tags: 'a,b' }).expect(200);
    expect(body._tags).toEqual(['a', 'b']);
    const read = await olga.get(`/${body._id}`).expect(200);
    expect(read.body).toEqual(body);
    const head = await app.api.head(`${FILES}/${body._id}`).query({ nsfilter: NS }).set({ authorization: app.olga });
    expect(head.headers).toMatchObject({ etag: read.headers.etag, 'content-length': read.headers['content-length'] });
  });

  it('has a unique name among its siblings', async () => {
    const parent = await folder('parent');
    await folder('twin', { _parents: parent });
    const again = await olga.folder('twin', { _parents: parent }).expect(400);
    expect(again.body).toMatchObject({ status: 400, code: 'NAME_TAKEN' });
    await olga.upload('twin', 'a file', { _parents: parent }).expect(400);
    await folder('twin');
  });

  it.each([
    ['a name that is a path', { _name: '../a' }],
    ['no namespaces', { _namespaces: undefined }],
    ['namespaces that do not include that of the call', { _namespaces: 'another' }],
    ['an unknown parent', { _parents: 'f'.repeat(24) }],
    ['a malformed parent', { _parents: 'x' }],
    ['11 tags', { _tags: 'a,b,c,d,e,f,g,h,i,j,k' }],
    ['a tag of 51 characters', { _tags: 't'.repeat(51) }],
  ])('is rejected with %s', async (_what, query) => {
    await olga.folder('ok', query).expect(400);
  });
});

describe('permissions on files', () => {
  let [shared, below, deep] = ['', '', ''];
  beforeAll(async () => {
    shared = await folder('shared');
    below = await folder('below', { _parents: shared });
    deep = await file('deep.txt', { _parents: below });
  });

  it('on a folder apply to everything below it', async () => {
    await app.grants.allow('fred', NS, `filesvc:file:${shared}`, ['READ', 'CREATE']);
    const fred = await as('fred');
    await fred.get(`/${deep}/content`).expect(200);
    const all = await fred.get('');
    expect([namesIn(all), all.body._total]).toEqual([['shared', 'below', 'deep.txt'], 3]);
    expect(namesIn(await fred.get(`/${below}/children`))).toEqual(['deep.txt']);
    await fred.put(deep, { _name: 'x' }).expect(403);
    await fred.upload('deep.txt', 'a version', { _parents: below }).expect(403);
    await fred.upload('at root.txt', 'x').expect(403);
    const created = await fred.upload('by fred.txt', 'x', { _parents: below }).expect(201);
    // The creator has all permissions on it.
    await fred.upload('by fred.txt', 'y', { _parents: below }).expect(201);
    await fred.remove(created.body[0]._id).expect(204);
  });

  it('on a file show only that file', async () => {
    await app.grants.allow('sue', NS, `filesvc:file:${deep}`, ['READ', 'EDIT']);
    const sue = await as('sue');
    expect(namesIn(await sue.get(''))).toEqual(['deep.txt']);
    await sue.get(`/${shared}`).expect(404);
    await sue.get(`/${below}/children`).expect(404);
    await sue.put(deep, { _name: 'deep.txt' }).expect(200);
    await sue.remove(deep).expect(403);
    await sue.folder('x', { _parents: shared }).expect(400);
  });

  it('are checked in a namespace of the file for writes', async () => {
    await app.grants.allow('olga', 'tower_7', '*:*:*', ['*']);
    await olga.put(deep, { _name: 'x' }, { nsfilter: 'tower_7' }).expect(400);
    await olga.get(`/${deep}`, { nsfilter: 'tower_7' }).expect(200);
  });
});
