import { afterEach, describe, expect, it } from '@jest/globals';
import { app, as, client, file, folder, olga, stored } from './app.js';
import { namesIn } from './requests.js';
import { NS } from './start-app.js';

const { copies, expectConsistent } = stored;

await app.grants.allow('olga', 'tower_2', '*:*:*', ['*']);
afterEach(expectConsistent);

const move = (id: string, _name: string, _parents: unknown, caller = olga) => caller.put(id, { _name, _parents });
const children = async (id: string) => namesIn(await olga.get(`/${id}/children`).expect(200));

describe('a move', () => {
  it('moves a file to other folders and to the root', async () => {
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
  });

  it('moves everything below a folder, with the permissions of its new place', async () => {
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
    // Files below keep their revision.
    expect((await olga.get(`/${deep}`)).headers.etag).toBe(etag);
  });

  it('rejects taken names, cycles and unknown folders', async () => {
    const parent = await folder('bad places');
    const inner = await folder('inner', { _parents: parent });
    const innermost = await folder('innermost', { _parents: inner });
    const id = await file('kept.txt', { _parents: inner });
    await file('kept.txt', { _parents: parent });
    await folder('taken', { _parents: parent });
    await folder('taken', { _parents: innermost });
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
      [id, 'kept.txt', Array.from({ length: 21 }, (_, n) => n.toString(16).padStart(24, '0')), 'BAD_REQUEST'],
    ];
    const state = () =>
      Promise.all([parent, inner, innermost, id].map(async (each) => (await olga.get(`/${each}`)).body));
    const before = await state();
    for (const [each, name, parents, code] of codes) {
      expect((await move(each, name, parents).expect(400)).body.code).toBe(code);
    }
    expect(await state()).toEqual(before);
  });

  it('rejects folders that are too large or would be too deep', async () => {
    const [large, to] = [await folder('large'), await folder('target of large')];
    const model = await file('model', { _parents: large });
    await copies(model, 1000);
    expect((await move(large, 'large', [to]).expect(400)).body.code).toBe('FOLDER_TOO_LARGE');
    await olga.remove(model).expect(204);
    await move(large, 'large', [to]).expect(200);
    expect((await olga.get('', { _parents: large, _pageSize: 0 })).body._total).toBe(1000);

    const wide = await folder('wide');
    const child = await folder('child', { _parents: wide });
    await copies(child, 250);
    expect((await move(wide, 'wide', [to]).expect(400)).body.code).toBe('FOLDER_TOO_LARGE');
    await olga.remove(child).expect(204);
    await move(wide, 'wide', [to]).expect(200);

    const chain: string[] = [];
    for (let depth = 0; depth < 60; depth++) chain.push(await folder('chain', { _parents: chain.at(-1) ?? '' }));
    const tail = await folder('tail');
    let below = tail;
    for (let depth = 0; depth < 5; depth++) below = await folder('below', { _parents: below });
    expect((await move(tail, 'tail', [chain.at(-1)!]).expect(400)).body.code).toBe('TOO_DEEP');
    await move(tail, 'tail', [chain.at(-2)!]).expect(200);
  });

  it('never makes a cycle or wrong ancestors under concurrent writes', async () => {
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
      const statuses = responses.map(({ status }) => status);
      expect(statuses.slice(0, 2)).not.toEqual([200, 200]);
      for (const status of statuses) expect([200, 201, 400, 409]).toContain(status);
    }
  });

  it('is a 409 when the file moves between the permission check and the write', async () => {
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
  });

  it('leaves nothing without its folder when the target is removed concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const [from, to] = [await folder(`from ${round}`), await folder(`to ${round}`)];
      const top = await folder('top', { _parents: from });
      await file('deep.txt', { _parents: top });
      const [moved, removed] = await Promise.all([move(top, 'top', [to]), olga.remove(to)]);
      expect([200, 400]).toContain(moved.status);
      expect(removed.status).toBe(204);
      const left = await app.mongo.db.collection<{ _id: string }>('files').countDocuments({ _id: top });
      expect(left).toBe(moved.status === 200 ? 0 : 1);
    }
  });
});

describe('permission to move', () => {
  it('needs EDIT on the file and CREATE in its new folders', async () => {
    const [home, target, other] = [await folder('home'), await folder('target'), await folder('other')];
    const id = await file('needed.txt', { _parents: home });
    const allow = (irn: string, ...actions: string[]) =>
      app.grants.allow('mia', NS, `filesvc:file:${irn}`, actions as never);
    await allow('*', 'READ');
    const mia = await as('mia');
    await move(id, 'needed.txt', [target], mia).expect(403);
    await allow(target, 'CREATE');
    await move(id, 'needed.txt', [target], mia).expect(403);
    await allow(id, 'EDIT');
    await move(id, 'needed.txt', [target, other], mia).expect(403);
    await move(id, 'needed.txt', [], mia).expect(403);
    await move(id, 'needed.txt', [home, target], mia).expect(200);
    await allow(id, 'DELETE');
    // It is in this one already.
    await move(id, 'needed.txt', [home], mia).expect(200);
    expect((await olga.get(`/${id}`)).body._parents).toEqual([home]);
    await app.grants.allow('mia', NS, 'filesvc:file:*', ['CREATE']);
    await move(id, 'needed.txt', [], await as('mia')).expect(200);
  });

  it('needs DELETE to leave a folder or the root', async () => {
    const [shelf, own] = [await folder('shelf'), await folder('team')];
    const id = await file('not yours.txt', { _parents: shelf });
    const atRoot = await file('at the root.txt');
    await app.grants.allow('carl', NS, 'filesvc:file:*', ['READ', 'EDIT', 'CREATE']);
    const carl = await as('carl');
    await move(id, 'not yours.txt', [own], carl).expect(403);
    await move(id, 'not yours.txt', [], carl).expect(403);
    await move(atRoot, 'at the root.txt', [own], carl).expect(403);
    expect([await children(shelf), await children(own)]).toEqual([['not yours.txt'], []]);
    // Renaming it where it is, or putting it into one more folder, takes nothing away.
    await move(id, 'renamed.txt', [shelf], carl).expect(200);
    await move(id, 'not yours.txt', [shelf, own], carl).expect(200);
    await move(id, 'not yours.txt', [own], carl).expect(403);
    await app.grants.allow('carl', NS, `filesvc:file:${id}`, ['DELETE']);
    await move(id, 'not yours.txt', [own], await as('carl')).expect(200);
  });

  it.each(['DELETE', 'SHARE'] as const)('gives nobody %s through a folder of their own', async (action) => {
    const shelf = await folder(`guarded from ${action}`);
    const top = await folder('top', { _parents: shelf });
    const deep = await file('deep.txt', { _parents: top });
    const others = (['READ', 'EDIT', 'CREATE', 'DELETE', 'SHARE'] as const).filter((each) => each !== action);
    const name = `without ${action}`;
    await app.grants.allow(name, NS, 'filesvc:file:*', others);
    const caller = await as(name);
    const mine = (await caller.folder(name).expect(200)).body._id as string;
    for (const [id, itsName, parent] of [
      [top, 'top', shelf],
      [deep, 'deep.txt', top],
    ] as const) {
      await move(id, itsName, [mine], caller).expect(403);
      // `*` on the one folder would give the permission in both.
      await move(id, itsName, [parent, mine], caller).expect(403);
      expect((await olga.get(`/${id}`)).body._parents).toEqual([parent]);
    }
    const own = (await caller.folder(`made ${name}`).expect(200)).body._id as string;
    await move(own, `made ${name}`, [mine], caller).expect(200);
    // Where others own the folder, nothing is gained.
    await move(top, 'top', [shelf, await folder(`of others ${name}`)], caller).expect(200);
    await app.grants.allow(name, NS, `filesvc:file:${deep}`, [action]);
    await move(deep, 'deep.txt', [mine], await as(name)).expect(200);
  });

  it('needs what the new folder grants, on everything below, in its namespaces', async () => {
    await app.grants.allow('gina', 'tower_2', '*:*:*', ['READ', 'EDIT', 'CREATE', 'DELETE']);
    const inBoth = { _namespaces: `${NS},tower_2` };
    const [partly, both] = [await folder('partly', inBoth), await folder('lent to gina', inBoth)];
    await file('only here.txt', { _parents: both });
    await app.grants.allow('gina', NS, 'filesvc:file:*', ['READ', 'EDIT', 'CREATE', 'DELETE']);
    for (const id of [both, partly]) await app.grants.allow('gina', 'tower_2', `filesvc:file:${id}`, ['SHARE']);
    const gina = await as('gina');
    const mine = (await gina.folder('of gina', inBoth).expect(200)).body._id as string;
    await move(both, 'lent to gina', [mine], gina).expect(403);
    // What is only in the other namespace gains nothing there.
    await move(both, 'lent to gina', [partly], gina).expect(200);
    await app.grants.allow('gina', NS, `filesvc:file:${both}`, ['SHARE']);
    await move(both, 'lent to gina', [mine], await as('gina')).expect(200);
  });

  it('needs what the new folder grants in each of its namespaces', async () => {
    await app.grants.allow('guido', NS, 'filesvc:file:*', ['READ', 'CREATE']);
    await app.grants.allow('guido', 'tower_2', 'filesvc:file:*', ['*']);
    const guido = await as('guido');
    const inBoth = { _namespaces: `${NS},tower_2` };
    const top = await folder('for guido', inBoth);
    const deep = await file('for guido.txt', { ...inBoth, _parents: top });
    const mine = (await guido.folder('of guido', inBoth).expect(200)).body._id as string;
    await move(deep, 'for guido.txt', [mine], guido).expect(403);
    await move(top, 'for guido', [mine], guido).expect(403);
    await app.grants.allow('guido', NS, `filesvc:file:${top}`, ['EDIT', 'DELETE', 'SHARE']);
    await move(top, 'for guido', [mine], await as('guido')).expect(200);
  });

  it('needs DELETE on everything below a folder that leaves its parent', async () => {
    const to = await folder('new place', { _namespaces: `${NS},tower_2` });
    const both = await folder('in both', { _namespaces: `${NS},tower_2` });
    const here = await file('only here.txt', { _parents: both });
    await app.grants.allow('dora', NS, 'filesvc:file:*', ['READ', 'EDIT', 'CREATE']);
    await app.grants.allow('dora', 'tower_2', 'filesvc:file:*', ['READ', 'EDIT', 'CREATE', 'DELETE']);
    const dora = await as('dora');
    await move(both, 'in both', [to], dora).expect(403);
    expect((await olga.get(`/${both}`)).body._parents).toEqual([]);
    await app.grants.allow('dora', NS, `filesvc:file:${here}`, ['DELETE']);
    await move(both, 'in both', [to], await as('dora')).expect(200);
  });
});
