import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creator, namesIn, requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { storedFiles } from './stored-files.js';
import { uploadClient } from './upload-client.js';

describe('moving files and folders', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  const { folder, file } = creator(() => olga);
  const { copies, expectConsistent } = storedFiles(() => app);

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
  });
  afterAll(() => app.stop());

  const as = async (name: string) => requests(app, await app.as(name));
  const move = (id: string, _name: string, _parents: unknown, caller = olga) => caller.put(id, { _name, _parents });
  const children = async (id: string) => namesIn(await olga.get(`/${id}/children`).expect(200));
  it('takes a file to other folders and to the root', async () => {
    const [one, two] = [await folder('one'), await folder('two')];
    const id = await file('moved.txt', { _parents: one });
    const { etag } = (await olga.get(`/${id}`)).headers;
    const moved = await move(id, 'moved.txt', [two]).expect(200);
    expect(moved.body).toMatchObject({ _id: id, _parents: [two], _name: 'moved.txt', _tipVersion: 1 });
    expect(moved.headers.etag).not.toBe(etag);
    expect([await children(one), await children(two)]).toEqual([[], ['moved.txt']]);
    // Its name is free in the old folder and taken in the new one.
    expect(await file('moved.txt', { _parents: one })).not.toBe(id);
    expect(await file('moved.txt', { _parents: two })).toBe(id);

    expect((await move(id, 'both.txt', [one, two]).expect(200)).body).toMatchObject({ _parents: [one, two] });
    expect((await move(id, 'root.txt', []).expect(200)).body).toMatchObject({ _parents: [], _name: 'root.txt' });
    const root = await olga.get('', { _parents: 'root', _name: '^root\\.txt$' }).expect(200);
    expect(root.body._list).toMatchObject([{ _id: id }]);
    expect((await olga.get(`/${id}/content`).expect(200)).text).toBe('moved.txt');
    // Without the field it stays where it is.
    await move(id, 'again.txt', [one]).expect(200);
    expect((await olga.put(id, { _name: 'renamed.txt' }).expect(200)).body._parents).toEqual([one]);
    await expectConsistent();
  });

  it('takes everything below a folder along, with the permissions that its new place gives', async () => {
    const [from, to] = [await folder('from'), await folder('to')];
    const top = await folder('top', { _parents: from });
    const inner = await folder('inner', { _parents: top });
    const deep = await file('deep.txt', { _parents: inner });
    const elsewhere = await folder('elsewhere');
    const shared = await file('shared.txt', { _parents: `${inner},${elsewhere}` });
    await app.grants.allow('fay', NS, `filesvc:file:${from}`, ['READ']);
    await app.grants.allow('tom', NS, `filesvc:file:${to}`, ['READ']);
    const [fay, tom] = [await as('fay'), await as('tom')];
    await fay.get(`/${deep}`).expect(200);
    await tom.get(`/${deep}`).expect(404);
    const { etag } = (await olga.get(`/${deep}`)).headers;

    await move(top, 'top', [to]).expect(200);
    for (const id of [top, inner, deep, shared]) {
      await fay.get(`/${id}`).expect(404);
      await tom.get(`/${id}`).expect(200);
    }
    expect((await fay.get('')).body._total).toBe(1);
    expect((await tom.get('')).body._total).toBe(5);
    // What lies below has not changed itself.
    expect((await olga.get(`/${deep}`)).headers.etag).toBe(etag);
    await expectConsistent();
  });

  it('is refused for bad places', async () => {
    const parent = await folder('bad places');
    const inner = await folder('inner', { _parents: parent });
    const innermost = await folder('innermost', { _parents: inner });
    const id = await file('kept.txt', { _parents: inner });
    await file('kept.txt', { _parents: parent });
    await folder('taken', { _parents: parent });
    await folder('taken', { _parents: innermost });
    await app.grants.allow('olga', 'tower_2', '*:*:*', ['*']);
    const foreign = await folder('foreign', { _namespaces: 'tower_2', nsfilter: 'tower_2' });
    const codes: [string, string, unknown, string][] = [
      [id, 'kept.txt', [parent], 'NAME_TAKEN'],
      [id, 'taken', [parent], 'NAME_TAKEN'],
      [innermost, 'taken', [parent], 'NAME_TAKEN'],
      [parent, 'bad places', [parent], 'FOLDER_CYCLE'],
      [parent, 'bad places', [innermost], 'FOLDER_CYCLE'],
      [id, 'kept.txt', ['f'.repeat(24)], 'UNKNOWN_PARENT'],
      [id, 'kept.txt', [id], 'UNKNOWN_PARENT'],
      [id, 'kept.txt', [foreign], 'UNKNOWN_PARENT'],
      [id, 'kept.txt', 'no array', 'BAD_REQUEST'],
      [id, 'kept.txt', ['nonsense'], 'BAD_REQUEST'],
      [id, 'kept.txt', Array.from({ length: 21 }, (_, n) => n.toString(16).padStart(24, '0')), 'BAD_REQUEST'],
    ];
    const before = await Promise.all(
      [parent, inner, innermost, id].map(async (each) => (await olga.get(`/${each}`)).body),
    );
    for (const [each, name, parents, code] of codes) {
      expect((await move(each, name, parents).expect(400)).body.code).toBe(code);
    }
    const after = await Promise.all(
      [parent, inner, innermost, id].map(async (each) => (await olga.get(`/${each}`)).body),
    );
    expect(after).toEqual(before);
    await expectConsistent();
  });

  it('is refused for a folder that is too large or would be too deep', async () => {
    const [large, to] = [await folder('large'), await folder('target of large')];
    const model = await file('model', { _parents: large });
    await copies(model, 1000);
    expect((await move(large, 'large', [to]).expect(400)).body.code).toBe('FOLDER_TOO_LARGE');
    await olga.remove(model).expect(204);
    await move(large, 'large', [to]).expect(200);
    expect((await olga.get('', { _parents: large, _pageSize: 0 })).body._total).toBe(1000);
    await expectConsistent();

    const wide = await folder('wide');
    const child = await folder('child', { _parents: wide });
    await copies(child, 250);
    expect((await move(wide, 'wide', [to]).expect(400)).body.code).toBe('FOLDER_TOO_LARGE');
    await olga.remove(child).expect(204);
    await move(wide, 'wide', [to]).expect(200);
    await expectConsistent();

    const chain: string[] = [];
    for (let depth = 0; depth < 60; depth++) chain.push(await folder('chain', { _parents: chain.at(-1) ?? '' }));
    const tail = await folder('tail');
    let below = tail;
    for (let depth = 0; depth < 5; depth++) below = await folder('below', { _parents: below });
    expect((await move(tail, 'tail', [chain.at(-1)!]).expect(400)).body.code).toBe('TOO_DEEP');
    await move(tail, 'tail', [chain.at(-2)!]).expect(200);
    await expectConsistent();
  });

  it('honours If-Match, and keeps tags unless some are sent', async () => {
    const to = await folder('matched');
    const id = await file('matched.txt', { _tags: 'a' });
    await move(id, 'matched.txt', [to]).set('if-match', '"99"').expect(412);
    const { etag } = (await olga.get(`/${id}`)).headers;
    const moved = await move(id, 'matched.txt', [to]).set('if-match', etag!).expect(200);
    expect(moved.body).toMatchObject({ _tags: ['a'], _parents: [to] });
  });

  it('never makes a cycle or a file with wrong folders above it, whatever happens at the same time', async () => {
    const client = uploadClient(app, app.olga);
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await folder(`one ${round}`), await folder(`two ${round}`)];
      const [inOne, inTwo] = [await folder('in one', { _parents: one }), await folder('in two', { _parents: two })];
      const responses = await Promise.all([
        move(one, `one ${round}`, [inTwo]),
        move(two, `two ${round}`, [inOne]),
        olga.upload('new.txt', 'x', { _parents: inOne }),
        olga.folder('new', { _parents: inTwo }),
        client.initiate('upload.bin', 3, { _parents: [inOne] }),
      ]);
      expect(
        responses
          .slice(0, 2)
          .map(({ status }) => status)
          .sort(),
      ).not.toEqual([200, 200]);
      for (const { status } of responses) expect([200, 201, 400, 409]).toContain(status);
      await expectConsistent();
    }
  });

  it('is refused with a 409 when the file has left its folders since the permission to leave them was decided', async () => {
    const [one, two, three] = [await folder('first'), await folder('second'), await folder('third')];
    const id = await file('raced.txt', { _parents: one });
    const { files } = app.deps;
    const find = files.find;
    files.find = async (wanted) => {
      files.find = find;
      const found = await find(wanted);
      await move(id, 'raced.txt', [two]).expect(200);
      return found;
    };
    expect((await move(id, 'raced.txt', [three]).expect(409)).body.code).toBe('FOLDER_MOVED');
    expect((await olga.get(`/${id}`)).body._parents).toEqual([two]);
    await move(id, 'raced.txt', [three]).expect(200);
    await expectConsistent();
  });

  it('or a removal at the same time leaves nothing without its folder', async () => {
    for (let round = 0; round < 5; round++) {
      const [from, to] = [await folder(`from ${round}`), await folder(`to ${round}`)];
      const top = await folder('top', { _parents: from });
      await file('deep.txt', { _parents: top });
      const [moved, removed] = await Promise.all([move(top, 'top', [to]), olga.remove(to)]);
      expect([200, 400]).toContain(moved.status);
      expect(removed.status).toBe(204);
      const left = await app.mongo.db.collection<{ _id: string }>('files').countDocuments({ _id: top });
      expect(left).toBe(moved.status === 200 ? 0 : 1);
      await expectConsistent();
    }
  });
});
