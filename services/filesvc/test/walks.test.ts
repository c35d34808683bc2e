import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { idAt } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { createPreviewBackfill } from '../src/domain/walks/backfill-previews.js';
import { createAnnouncements } from '../src/store/announcements.js';
import { schema } from '../src/store/schema.js';
import { createPreviewBackfillStore } from '../src/store/walks/preview-backfill.js';
import { createWalkStore } from '../src/store/walks/walk-store.js';
import { picture, previewClient, sizesOf } from './preview-client.js';
import { creator, requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { storedFiles } from './stored-files.js';

describe('after an upgrade', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  const { folder, file } = creator(() => olga);
  const { collection, ancestorsOf } = storedFiles(() => app);
  const { madeFor } = previewClient(() => ({ app, olga }));

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
  });
  beforeEach(async () => {
    await walks().deleteMany({});
    for (const { up } of schema.migrations) await up(app.mongo.db, new AbortController().signal);
  });
  afterAll(() => app.stop());

  const walks = () => app.mongo.db.collection<{ _id: string; finishedAt?: Date }>('walks');
  const outbox = () => app.mongo.db.collection('outbox');
  const REQUESTS = { name: 'previews.make.v1' };
  /** As if the upgrade were long ago. */
  const begin = (...ids: string[]) => walks().updateMany({ _id: { $in: ids } }, { $set: { notBefore: new Date() } });
  const hasEnded = async (_id: string) => expect((await walks().findOne({ _id }))?.finishedAt).toBeDefined();
  const work = async (...ids: string[]) => {
    await begin(...ids);
    const { stop } = await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '100' });
    await eventually(() => Promise.all(ids.map(hasEnded)), { timeoutMs: 30_000 });
    return stop;
  };
  const setAncestors = (_id: string, ancestors: string[]) =>
    collection('files').updateOne({ _id }, { $set: { 'internal.ancestors': ancestors } });

  it('files get the folders above them again that a process of the previous version stored wrongly', async () => {
    const id = await file('older than its folders.txt');
    const [from, to] = [await folder('from'), await folder('to')];
    const top = await folder('top', { _parents: to });
    const inner = await folder('inner', { _parents: top });
    await olga.put(id, { _name: 'in.txt', _parents: [inner] }).expect(200);
    const untouched = await file('untouched.txt', { _parents: inner });
    const revisions = async () =>
      Promise.all([top, inner, id].map(async (each) => (await olga.get(`/${each}`)).headers.etag));
    const before = await revisions();
    // The folder was moved while the other process stored these.
    await setAncestors(inner, [top, from]);
    await setAncestors(id, [inner, top, from]);
    await app.grants.allow('fritz', NS, `filesvc:file:${from}`, ['READ']);
    const fritz = requests(app, await app.as('fritz'));
    await fritz.get(`/${id}`).expect(200);

    const stop = await work('ancestors');
    expect(await ancestorsOf(inner)).toEqual([top, to].toSorted());
    for (const each of [id, untouched]) expect(await ancestorsOf(each)).toEqual([inner, top, to].toSorted());
    await fritz.get(`/${id}`).expect(404);
    expect(await revisions()).toEqual(before);
    await stop();
  });

  it('images from before there were previews get some', async () => {
    const [upload] = (await olga.upload('old.png', await picture(600, 300).png().toBuffer()).expect(201)).body;
    await outbox().deleteMany(REQUESTS);
    await eventually(() => expect(idAt(new Date()) > upload._tipId).toBe(true));
    const stop = await work('previews');
    expect(sizesOf(await madeFor(upload._id))).toEqual([
      [256, 128],
      [600, 300],
    ]);
    await stop();
  });

  it('they are requested batch by batch, and only once no process of the previous version runs', async () => {
    const id = await file('many.txt');
    const tip = (await collection('file_versions').findOne({ _fileId: id }))!;
    const olderId = (n: number) => idAt(new Date(n * 1000));
    const older = Array.from({ length: 120 }, (_, n) => ({ ...tip, _id: olderId(n + 1), _version: -n }));
    await collection('file_versions').insertMany(older);
    await outbox().deleteMany(REQUESTS);
    const { mongo } = app;
    const walkStore = createWalkStore(mongo);
    const backfill = createPreviewBackfillStore(mongo, createAnnouncements(mongo));
    const previewBackfill = createPreviewBackfill({ walkStore, backfill });
    const run = () => previewBackfill.run();
    const requested = () => outbox().countDocuments(REQUESTS);

    await run();
    expect(await requested()).toBe(0);
    await begin('previews');
    for (let count = 0; count < 3; count++) await run();
    expect(await requested()).toBe(50);
    await outbox().deleteMany(REQUESTS);
    // A process that dies after a batch, before it is recorded, requests the same again.
    const before = (await walkStore.find('previews'))!;
    await run();
    await walkStore.save(before);
    await run();
    expect(await requested()).toBe(50);
    await outbox().deleteMany(REQUESTS);
    await run();
    expect(await requested()).toBeGreaterThanOrEqual(20);
    await hasEnded('previews');
    expect(await run()).toBeUndefined();
  });
});
