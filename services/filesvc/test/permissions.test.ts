import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { namesIn, requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('permissions on files', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  let folder: string;
  let below: string;
  let file: string;

  const as = async (name: string) => requests(app, await app.as(name));

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
    folder = (await olga.folder('shared').expect(200)).body._id;
    below = (await olga.folder('below', { _parents: folder }).expect(200)).body._id;
    file = (await olga.upload('deep.txt', 'deep', { _parents: below }).expect(201)).body[0]._id;
    await olga.upload('private.txt', 'private').expect(201);
  });
  afterAll(() => app.stop());

  it('applies a permission on a folder to everything below it', async () => {
    await app.grants.allow('fred', NS, `filesvc:file:${folder}`, ['READ', 'CREATE']);
    const fred = await as('fred');
    await fred.get(`/${file}`).expect(200);
    await fred.get(`/${file}/content`).expect(200);
    expect(namesIn(await fred.get(''))).toEqual(['shared', 'below', 'deep.txt']);
    expect((await fred.get('')).body._total).toBe(3);
    expect(namesIn(await fred.get(`/${below}/children`))).toEqual(['deep.txt']);
    await fred.put(file, { _name: 'x' }).expect(403);
    await fred.upload('deep.txt', 'a version', { _parents: below }).expect(403);
    await fred.upload('at root.txt', 'x').expect(403);
    const created = await fred.upload('by fred.txt', 'x', { _parents: below }).expect(201);
    // The creator has all permissions on it.
    await fred.upload('by fred.txt', 'y', { _parents: below }).expect(201);
    await fred.remove(created.body[0]._id).expect(204);
  });

  it('shows single files to callers with a permission on them', async () => {
    await app.grants.allow('sue', NS, `filesvc:file:${file}`, ['READ', 'EDIT']);
    const sue = await as('sue');
    expect(namesIn(await sue.get(''))).toEqual(['deep.txt']);
    await sue.get(`/${folder}`).expect(404);
    await sue.get(`/${below}/children`).expect(404);
    await sue.put(file, { _name: 'deep.txt' }).expect(200);
    await sue.remove(file).expect(403);
    await sue.folder('x', { _parents: folder }).expect(400);
  });

  it('applies a revocation at once', async () => {
    await app.grants.allow('rob', NS, 'filesvc:file:*', ['READ']);
    const rob = await as('rob');
    await rob.get(`/${file}`).expect(200);
    await app.grants.revoke('rob', NS);
    await rob.get(`/${file}`).expect(404);
    expect((await rob.get('')).body._total).toBe(0);
  });

  it('needs CREATE in each of several namespaces', async () => {
    await app.grants.allow('ned', NS, '*:*:*', ['*']);
    await app.grants.allow('ned', 'tower_5', 'filesvc:file:*', ['READ']);
    const ned = await as('ned');
    await ned.folder('both', { _namespaces: `${NS},tower_5` }).expect(403);
    await app.grants.allow('ned', 'tower_5', 'filesvc:file:*', ['CREATE']);
    await ned.folder('both', { _namespaces: `${NS},tower_5` }).expect(200);
  });

  it('requires a namespace of the file as context of every write', async () => {
    await app.grants.allow('olga', 'tower_7', '*:*:*', ['*']);
    await olga.put(file, { _name: 'x' }, { nsfilter: 'tower_7' }).expect(400);
    await olga.get(`/${file}`, { nsfilter: 'tower_7' }).expect(200);
  });

  it.each(['', 'a\0b', '\u007f', 'x'.repeat(129)])('refuses %j as a namespace', async (nsfilter) => {
    for (const path of ['', `/${file}`]) {
      const { body } = await olga.get(path, { nsfilter }).expect(400);
      expect(body.errors[0].location).toBe('query.nsfilter');
    }
    if (nsfilter !== '') await olga.folder('nowhere', { _namespaces: `${NS},${nsfilter}` }).expect(400);
  });

  it('lets a trusted client do everything', async () => {
    const trusted = requests(app, await app.as('platform', 'trusted'));
    await trusted.get(`/${file}`).expect(200);
    expect((await trusted.get('')).body._total).toBeGreaterThan(3);
    await trusted.get('', { _parents: 'root' }).expect(200);
  });
});
