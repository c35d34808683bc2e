import { describe, expect, it } from '@jest/globals';
import { queryLimits } from '@dtplatform/mongo';
import { createTasks } from '@dtplatform/queue';
import { openCall } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { createDomainEvents } from '../src/events/domain-events.store.js';
import { createTreeRemoval } from '../src/trees/tree-removal.store.js';
import { createTreeStore } from '../src/trees/trees.store.js';
import { app, as, collect, file, folder, olga, stored } from './app.js';
import { requests } from './requests.js';
import { NS } from './start-app.js';

const TASKS = '/filesvc/api/v1/asynctasks';
const VERSIONS = 2100;

const { collection, exists, ancestorsOf, orphans, copies, addOlderVersions } = stored;
const events = createDomainEvents(app.mongo);
const removal = createTreeRemoval(app.mongo, events);

describe('a large deletion', () => {
  const total = async () => (await olga.get('', { _pageSize: 0 }).expect(200)).body._total as number;
  const ended = (location: string) =>
    eventually(
      async () => {
        const { body } = await app.api.get(location).set({ authorization: app.olga });
        expect(body).toMatchObject({ _status: 'COMPLETED' });
      },
      { timeoutMs: 40_000 },
    );

  it('of files with thousands of versions is a task that removes them in batches', async () => {
    const versionsOf = (...ids: string[]) => collection('file_versions').countDocuments({ _fileId: { $in: ids } });
    /** A file with older versions that were never counted, and without content. */
    const withVersions = async (name: string, parent: string) => {
      const id = await file(name, { _parents: parent });
      await addOlderVersions(id, VERSIONS);
      return id;
    };
    const counted = await collect();
    const parent = await folder('parent');
    const inFolder = await withVersions('in a folder.txt', parent);
    const few = await file('few.txt', { _parents: parent });
    const shared = await withVersions('shared.txt', `${parent},${await folder('other shelf')}`);
    const alone = await withVersions('alone.txt', '');
    const first = await olga.remove(alone).expect(202);
    const second = await olga.remove(parent).expect(202);
    expect(await exists(alone, parent, inFolder, few, shared)).toBe(5);

    expect(await removal.step(alone)).toBe(0);
    expect(await versionsOf(alone)).toBe(VERSIONS + 1 - 2000);
    expect((await olga.get(`/${alone}/content`).expect(200)).text).toBe('alone.txt');
    await removal.step(parent);
    expect(await versionsOf(inFolder)).toBe(VERSIONS + 1 - 2000);

    const worker = await app.startWorker();
    await ended(first.headers.location!);
    await ended(second.headers.location!);
    expect(await exists(alone, parent, inFolder, few)).toBe(0);
    expect(await versionsOf(alone, inFolder, few)).toBe(0);
    expect(await versionsOf(shared)).toBe(VERSIONS + 1);
    expect(await orphans()).toEqual([]);
    const countOf = (file_id: string) => counted.amount('FileVersionCount', { dimensions: { file_id } });
    await eventually(() => expect([alone, inFolder, few, shared].map(countOf)).toEqual([-VERSIONS, -VERSIONS, 0, 1]));
    await worker.stop();
  });

  describe('of a large folder', () => {
    const large = async (name: string, count = 1000) => {
      const parent = await folder(name);
      const inner = await folder('inner', { _parents: parent });
      return { parent, inner, ids: await copies(await file('model', { _parents: inner }), count) };
    };

    it('is a task that completes even if a worker dies', async () => {
      const before = await total();
      const { parent, inner, ids } = await large('large');
      const shelf = await folder('shelf');
      const shared = await folder('shared', { _parents: `${inner},${shelf}` });
      const deep = await file('deep.txt', { _parents: shared });
      const accepted = await olga.remove(parent).expect(202);
      const { location } = accepted.headers;
      expect([accepted.text, location]).toEqual(['', expect.stringMatching(`^${TASKS}/[0-9a-f]{24}$`)]);
      await olga.folder('late', { _parents: parent }).expect(400);
      expect(await exists(parent, inner, ...ids)).toBe(1002);

      // A worker dies in the middle.
      for (let step = 0; step < 4; step++) await removal.step(parent);
      const left = await exists(...ids);
      expect(left).toBeLessThan(1000);
      expect(left).toBeGreaterThan(0);
      await olga.upload('late.txt', 'x', { _parents: inner }).expect(400);

      const survivor = await app.startWorker();
      const drained = (async () => {
        while ((await removal.step(parent)) !== undefined);
      })();
      await Promise.all([ended(location!), drained]);
      await survivor.stop();
      expect(await exists(parent, inner, ...ids)).toBe(0);
      expect((await olga.get(`/${shared}`)).body._parents).toEqual([shelf]);
      expect(await ancestorsOf(deep)).toEqual([shared, shelf].toSorted());
      expect(await orphans()).toEqual([]);
      // The copies were never counted.
      await eventually(async () => expect(await total()).toBe(before + 3 - ids.length));
      await folder('large');
    });

    it('checks permissions below outside of the query time of the request', async () => {
      const { parent, inner } = await large('checked', 10_000);
      const treeStore = createTreeStore({
        mongo: app.mongo,
        events,
        tasks: createTasks(app.mongo),
        maxCheckMs: 20_000,
      });
      const asked = { ids: [parent], homes: [], leaving: { ids: [], namespace: NS }, by: { id: 'olga', name: 'olga' } };
      const nothing = { ...asked, scope: { all: [], some: [] } };
      expect(await treeStore.remove(nothing)).toBe('too-large');
      await expect(treeStore.acceptRemoval(nothing)).rejects.toMatchObject({ status: 403 });
      const all = { ...asked, scope: { all: [], some: [{ namespace: NS, ids: [inner] }] } };
      // A request that has used up its query time.
      const share = { keep: async () => true, release: () => undefined };
      const memory = { waitedMs: 3_600_000, reserve: async () => share };
      const call = openCall({}, 'DELETE', {}, { signal: new AbortController().signal, memory });
      const accepted = await call.run(() => {
        queryLimits();
        memory.waitedMs = 0;
        return treeStore.acceptRemoval(all);
      });
      expect(accepted).toMatch(/^[0-9a-f]{24}$/);
    });

    it('changes nothing if something below may not be deleted, or checking that takes too long', async () => {
      const { parent, ids } = await large('refused', 10_000);
      const files = app.mongo.db.collection<{ _id: string }>('files');
      const put = (_id: string, ...namespaces: string[]) =>
        files.updateOne({ _id }, { $set: { _namespaces: namespaces, 'internal.home': namespaces[0] } });
      await put(parent, NS, 'tower_2');
      await app.grants.allow('pia', NS, `filesvc:file:${parent}`, ['READ', 'DELETE']);
      const impatient = requests(await app.startInstance({ FOLDER_CHECK_MS: '1' }), await app.as('pia'));
      expect((await impatient.remove(parent).expect(503)).body.code).toBe('UNAVAILABLE');
      const pia = await as('pia');
      await put(ids[0]!, 'tower_2');
      await pia.remove(parent).expect(403);
      expect(await exists(parent, ...ids)).toBe(10_001);
      await olga.upload('still open.txt', 'x', { _parents: parent }).expect(201);
      await put(ids[0]!, NS);
      await pia.remove(parent).expect(202);
    });
  });
});
