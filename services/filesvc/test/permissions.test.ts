import { afterAll, describe, expect, it } from '@jest/globals';
import { namesIn, requests } from './requests.js';
import { NS, startApp } from './start-app.js';

const app = await startApp();
const olga = requests(app, app.olga);
const folder = (await olga.folder('shared').expect(200)).body._id;
const below = (await olga.folder('below', { _parents: folder }).expect(200)).body._id;
const file = (await olga.upload('deep.txt', 'deep', { _parents: below }).expect(201)).body[0]._id;
await olga.upload('private.txt', 'private').expect(201);
afterAll(() => app.stop());

describe('permissions on files', () => {
  const as = async (name: string) => requests(app, await app.as(name));

  it('on a folder apply to everything below it', async () => {
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

  it('on a file show only that file', async () => {
    await app.grants.allow('sue', NS, `filesvc:file:${file}`, ['READ', 'EDIT']);
    const sue = await as('sue');
    expect(namesIn(await sue.get(''))).toEqual(['deep.txt']);
    await sue.get(`/${folder}`).expect(404);
    await sue.get(`/${below}/children`).expect(404);
    await sue.put(file, { _name: 'deep.txt' }).expect(200);
    await sue.remove(file).expect(403);
    await sue.folder('x', { _parents: folder }).expect(400);
  });

  it('are checked in a namespace of the file for writes', async () => {
    await app.grants.allow('olga', 'tower_7', '*:*:*', ['*']);
    await olga.put(file, { _name: 'x' }, { nsfilter: 'tower_7' }).expect(400);
    await olga.get(`/${file}`, { nsfilter: 'tower_7' }).expect(200);
  });
});
