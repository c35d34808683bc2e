import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { app, as, client, collect, file, folder, olga, stored } from './app.js';
import { namesIn } from './requests.js';
import { FILES, NS } from './start-app.js';

const UNKNOWN = 'f'.repeat(24);
const usage = await collect();
await app.grants.allow('olga', 'tower_2', '*:*:*', ['*']);
const { collection, exists, ancestorsOf, orphans, copies } = stored;

describe('a deletion', () => {
  const total = async () => (await olga.get('', { _pageSize: 0 }).expect(200)).body._total as number;
  const removeMany = (ids: string | string[], authorization = app.olga) =>
    app.api.delete(FILES).query({ nsfilter: NS, _ids: ids }).set({ authorization });
  const stripped = ({ body }: { body: object }) => ({ ...body, requestId: '' });

  describe('of a folder', () => {
    it('removes everything below with versions, uploads, content and usage', async () => {
      await app.startWorker();
      const before = await total();
      const outer = await folder('outer');
      const inner = await folder('inner', { _parents: outer });
      const deep = await file('deep.txt', { _parents: inner });
      await file('deep.txt', { _parents: inner });
      const flat = await file('flat.txt', { _parents: outer });
      const upload = await client.begin('unfinished.bin', 20 * 1024 * 1024, { _parents: [inner] });
      await client.patch(upload, Buffer.alloc(9 * 1024 * 1024)).expect(200);
      await client.initiate('flat.txt', 5, { _parents: [outer] }).expect(201);
      const known = await collection('file_versions')
        .find({ _fileId: { $in: [deep, flat] } })
        .toArray();
      expect(known).toHaveLength(3);
      await eventually(() => expect(usage.amount('FileVersionCount')).toBe(3));

      await olga.remove(outer).set('if-match', '"99"').expect(412);
      await olga.remove(outer).expect(204);
      expect(await exists(outer, inner, deep, flat, upload)).toBe(0);
      for (const name of ['file_versions', 'uploads'] as const) expect(await collection(name).countDocuments()).toBe(0);
      expect(await total()).toBe(before);
      await eventually(async () => {
        for (const metric of ['FileCount', 'FileVersionCount', 'FileVersionSize']) expect(usage.amount(metric)).toBe(0);
        for (const { internal } of known) expect(await app.deps.objects.head(internal.key)).toBeUndefined();
      });
      await client.patch(upload, Buffer.alloc(1)).expect(404);
      await olga.upload('late.txt', 'x', { _parents: outer }).expect(400);
      await folder('outer');
    });

    it('keeps what is also in another folder', async () => {
      const doomed = await folder('doomed');
      const inside = await folder('inside', { _parents: doomed });
      const other = await folder('other');
      const shared = await file('shared.txt', { _parents: `${doomed},${other}` });
      const twice = await file('twice.txt', { _parents: `${doomed},${inside}` });
      const sharedFolder = await folder('shared folder', { _parents: `${inside},${other}` });
      const deep = await file('deep.txt', { _parents: sharedFolder });
      // A namesake in the other folder.
      const same = await file('shared.txt', { _parents: other });
      const { etag } = (await olga.get(`/${shared}`)).headers;

      await olga.remove(doomed).expect(204);
      expect(await exists(doomed, inside, twice)).toBe(0);
      const left = await olga.get(`/${shared}`).expect(200);
      expect([left.body._parents, left.headers.etag === etag]).toEqual([[other], false]);
      expect((await olga.get(`/${sharedFolder}`)).body._parents).toEqual([other]);
      expect(await ancestorsOf(shared)).toEqual([other]);
      expect(await ancestorsOf(sharedFolder)).toEqual([other]);
      expect(await ancestorsOf(deep)).toEqual([other, sharedFolder].toSorted());
      expect((await olga.get(`/${shared}/content`).expect(200)).text).toBe('shared.txt');
      const names = namesIn(await olga.get(`/${other}/children`)).sort();
      expect(names).toEqual(['shared folder', 'shared.txt', 'shared.txt']);
      expect(await file('shared.txt', { _parents: other })).toBe(same);
    });

    it('needs DELETE in its home namespace, and in that of everything below', async () => {
      const both = { _namespaces: `${NS},tower_2` };
      const parent = await folder('in both', both);
      const shared = await folder('made there', { ...both, _parents: parent, nsfilter: 'tower_2' });
      const there = await folder('only there', { _namespaces: 'tower_2', _parents: parent, nsfilter: 'tower_2' });
      await app.grants.allow('nora', NS, 'filesvc:file:*', ['READ']);
      await app.grants.allow('nora', 'tower_2', 'filesvc:file:*', ['READ', 'DELETE']);
      const nora = await as('nora');
      await nora.remove(parent).expect(403);
      await app.grants.revoke('nora', 'tower_2');
      await app.grants.allow('nora', NS, `filesvc:file:${parent}`, ['DELETE']);
      await nora.remove(parent).expect(403);
      expect(await exists(parent, shared, there)).toBe(3);
      await app.grants.allow('nora', 'tower_2', `filesvc:file:${there}`, ['DELETE']);
      await nora.remove(parent).expect(204);
      expect(await exists(parent, shared, there)).toBe(0);
    });

    it('only removes it from a namespace that is not its home, once it is empty there', async () => {
      await app.grants.allow('hugo', NS, 'filesvc:file:*', ['READ', 'DELETE']);
      const hugo = await as('hugo');
      const both = { _namespaces: `${NS},tower_2`, nsfilter: 'tower_2' };
      const parent = await folder('in both', both);
      const there = await folder('only there', { ...both, _namespaces: 'tower_2', _parents: parent });
      const below = await folder('below', { ...both, _parents: parent });
      expect((await hugo.remove(parent).expect(400)).body.code).toBe('FOLDER_NOT_EMPTY');
      await hugo.remove(parent, { nsfilter: 'tower_2' }).expect(404);
      await removeMany([parent, below], await app.as('hugo')).expect(204);
      expect(await exists(parent, below, there)).toBe(3);
      await hugo.get(`/${parent}`).expect(404);
      for (const id of [parent, below]) expect((await olga.get(`/${id}`)).body._namespaces).toEqual(['tower_2']);
      await folder('in both');
      await olga.folder('again', { _parents: parent }).expect(400);
    });

    it('leaves nothing behind that is created below it concurrently', async () => {
      for (let round = 0; round < 6; round++) {
        const parent = await folder(`raced ${round}`);
        const inner = await folder('inner', { _parents: parent });
        const old = await file('old.txt', { _parents: inner });
        const [removed, ...added] = await Promise.all([
          olga.remove(parent),
          olga.upload('new.txt', 'x', { _parents: inner }),
          olga.upload('old.txt', 'x', { _parents: inner }),
          olga.folder('folder', { _parents: inner }),
          client.initiate('upload.bin', 3, { _parents: [inner] }),
        ]);
        expect(removed.status).toBe(204);
        for (const { status } of added) expect([200, 201, 400]).toContain(status);
        expect(await exists(parent, inner, old)).toBe(0);
        expect(await collection('files').countDocuments({ 'internal.ancestors': parent })).toBe(0);
      }
      expect(await orphans()).toEqual([]);
    });
  });

  it('only removes a file from a namespace that is not its home, with its usage', async () => {
    await app.grants.allow('fritz', NS, 'filesvc:file:*', ['READ', 'DELETE']);
    const fritz = await as('fritz');
    const upload = olga.upload('guest.txt', 'guest', { _namespaces: `${NS},tower_2` });
    const [{ _id }] = (await upload.query({ nsfilter: 'tower_2' }).expect(201)).body;
    const sizes = () =>
      [NS, 'tower_2'].map((namespace) => usage.amount('FileVersionSize', { namespace, dimensions: { file_id: _id } }));
    await eventually(() => expect(sizes()).toEqual([5, 5]));
    await fritz.remove(_id).set('if-match', '"9"').expect(412);
    await fritz.remove(_id).expect(204);
    await fritz.remove(_id).expect(404);
    const left = (await olga.get(`/${_id}`, { nsfilter: 'tower_2' }).expect(200)).body;
    expect([left._namespaces, left._metadata._updatedById]).toEqual([['tower_2'], 'fritz']);
    await eventually(() => expect(sizes()).toEqual([0, 5]));
    await olga.remove(_id, { nsfilter: 'tower_2' }).expect(204);
    expect(await exists(_id)).toBe(0);
  });

  describe('of several', () => {
    it('removes 1 to 200 files and folders, and everything below', async () => {
      const parent = await folder('one of several');
      const below = await file('below.txt', { _parents: parent });
      const ids = [...(await copies(below, 197)), await file('a.txt'), parent];
      const kept = await file('c.txt');
      await removeMany([...ids, UNKNOWN, UNKNOWN].join(',')).expect(400);
      for (const none of ['', []]) await removeMany(none).expect(400);
      expect(await exists(...ids, below, kept)).toBe(201);
      await removeMany([ids.join(','), parent]).expect(204);
      expect(await exists(...ids, below, kept)).toBe(1);
      await removeMany([kept]).expect(204);
    });

    it('deletes nothing if one is missing, hidden or may not be deleted', async () => {
      const ids = [await file('all.txt'), await file('or.txt'), await file('nothing.txt')];
      await app.grants.allow('sven', NS, `filesvc:file:${ids[0]}`, ['*']);
      await app.grants.allow('sven', NS, `filesvc:file:${ids[1]}`, ['READ']);
      const sven = await app.as('sven');
      const missing = await removeMany([ids[0]!, UNKNOWN], sven).expect(404);
      const hidden = await removeMany([ids[0]!, ids[2]!], sven).expect(404);
      expect(stripped(missing)).toEqual(stripped(hidden));
      await removeMany([ids[0]!, ids[1]!], sven).expect(403);
      // Hidden ids take precedence, so that nobody learns which exist.
      await removeMany([ids[1]!, ids[2]!], sven).expect(404);
      await removeMany([ids[0]!, UNKNOWN]).expect(404);
      expect(await exists(...ids)).toBe(3);
    });

    it('succeeds for one of several concurrent callers', async () => {
      const ids = [await file('x.txt'), await file('y.txt')];
      const responses = await Promise.all(Array.from({ length: 5 }, () => removeMany(ids)));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    });
  });
});
