import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creator, namesIn, requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { storedFiles } from './stored-files.js';

describe('moving a file or folder', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  const { folder, file } = creator(() => olga);
  const { expectConsistent } = storedFiles(() => app);

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
  });
  afterAll(() => app.stop());

  const as = async (name: string) => requests(app, await app.as(name));
  const move = (id: string, _name: string, _parents: unknown, caller = olga) => caller.put(id, { _name, _parents });
  const children = async (id: string) => namesIn(await olga.get(`/${id}/children`).expect(200));

  it('needs EDIT on the file and CREATE in the folders that it enters', async () => {
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

  it('gives nobody the right to delete through a folder of their own', async () => {
    const shelf = await folder('guarded');
    const top = await folder('top', { _parents: shelf });
    const deep = await file('deep.txt', { _parents: top });
    await app.grants.allow('cleo', NS, 'filesvc:file:*', ['READ', 'EDIT', 'CREATE']);
    const cleo = await as('cleo');
    const mine = (await cleo.folder('mine').expect(200)).body._id as string;
    for (const [id, name, parent] of [
      [top, 'top', shelf],
      [deep, 'deep.txt', top],
    ] as const) {
      await move(id, name, [mine], cleo).expect(403);
      // Then `*` on the one folder would do for a deletion in both.
      await move(id, name, [parent, mine], cleo).expect(403);
    }
    await cleo.remove(deep).expect(403);
    expect((await olga.get(`/${deep}`)).body._parents).toEqual([top]);
    expect((await olga.get(`/${top}`)).body._parents).toEqual([shelf]);
    const own = (await cleo.folder('made by cleo').expect(200)).body._id as string;
    await move(own, 'made by cleo', [mine], cleo).expect(200);
    await expectConsistent();
  });

  it('gives nobody the right to share through a folder of their own', async () => {
    const shelf = await folder('lent');
    const top = await folder('lent folder', { _parents: shelf });
    const deep = await file('lent.txt', { _parents: top });
    await app.grants.allow('sven', NS, 'filesvc:file:*', ['READ', 'EDIT', 'CREATE', 'DELETE']);
    const sven = await as('sven');
    const mine = (await sven.folder('of sven').expect(200)).body._id as string;
    for (const [id, name, parent] of [
      [deep, 'lent.txt', top],
      [top, 'lent folder', shelf],
    ] as const) {
      await move(id, name, [mine], sven).expect(403);
      await move(id, name, [parent, mine], sven).expect(403);
    }
    await app.grants.allow('sven', NS, `filesvc:file:${deep}`, ['SHARE']);
    await move(deep, 'lent.txt', [mine], await as('sven')).expect(200);
    // Where others own the folder, nothing is gained.
    await move(top, 'lent folder', [await folder('of the team')], await as('sven')).expect(200);
    await expectConsistent();
  });

  it('needs what the new folder permits on everything below a folder, in the namespaces where it permits it', async () => {
    for (const name of ['olga', 'gina'])
      await app.grants.allow(name, 'tower_2', '*:*:*', ['READ', 'EDIT', 'CREATE', 'DELETE']);
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
    await expectConsistent();
  });

  it('needs what the new folder permits in each namespace where it permits it', async () => {
    await app.grants.allow('olga', 'tower_2', '*:*:*', ['*']);
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
    await expectConsistent();
  });

  it('needs DELETE on everything below a folder that leaves its place', async () => {
    await app.grants.allow('olga', 'tower_2', '*:*:*', ['*']);
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
    await expectConsistent();
  });
});
