import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GRAPHICS_TAG } from '@dtplatform/contracts';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { collectUsage } from './collect-usage.js';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const LONG_AGO = new Date('2020-01-01');

describe('worker', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  let client: ReturnType<typeof uploadClient>;
  let usage: Awaited<ReturnType<typeof collectUsage>>;

  const amount = (metric: string, dimensions: Record<string, string> = {}) => usage.amount(metric, { dimensions });
  const urlOf = async (id: string) =>
    (await olga.get('', { _ids: id, withUrl: 'true' }).expect(200)).body._list[0]._url as string;
  const upload = async (name: string, content: string, fields = {}) =>
    (await olga.upload(name, content, fields).expect(201)).body[0]._id as string;

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
    client = uploadClient(app, app.olga);
    await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '200' });
    usage = await collectUsage(app);
  });
  afterAll(async () => {
    await usage.stop();
    await app.stop();
  });

  it('reports the usage of files, with graphics files separately', async () => {
    const id = await upload('usage.txt', '12345');
    await upload('usage.txt', '123');
    const resumable = await client.begin('usage.bin', 4);
    await client.patch(resumable, Buffer.from('1234')).expect(200);
    await olga.folder('no usage').expect(200);
    await eventually(() => {
      expect(amount('FileCount')).toBe(2);
      expect(amount('FileVersionCount', { file_id: id })).toBe(2);
      expect(amount('FileVersionSize', { file_id: id })).toBe(8);
      expect(amount('FileVersionSize')).toBe(12);
      expect(amount('FileCount.graphics')).toBe(0);
    });

    await olga.put(id, { _name: 'usage.txt', _tags: [GRAPHICS_TAG] }).expect(200);
    await eventually(() => {
      expect(amount('FileCount')).toBe(1);
      expect(amount('FileVersionSize')).toBe(4);
      expect(amount('FileVersionCount.graphics', { file_id: id })).toBe(2);
      expect(amount('FileVersionSize.graphics')).toBe(8);
    });

    await olga.remove(id).expect(204);
    await olga.remove(resumable).expect(204);
    await eventually(() => {
      for (const metric of ['FileCount', 'FileVersionCount', 'FileVersionSize']) {
        expect(amount(metric)).toBe(0);
        expect(amount(`${metric}.graphics`)).toBe(0);
      }
    });
  });

  it('keeps totals correct while folding deltas', async () => {
    const total = async () => (await olga.get('', { _pageSize: 0 })).body._total as number;
    const before = await total();
    const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => upload(`total-${n}`, 'x')));
    expect(await total()).toBe(before + 5);
    await olga.remove(ids[0]!).expect(204);
    expect(await total()).toBe(before + 4);
    await eventually(async () => expect(await app.deps.mongo.db.collection('outbox').countDocuments()).toBe(0));
    expect(await total()).toBe(before + 4);
  });

  it('removes the content of deleted files', async () => {
    const id = await upload('deleted.txt', 'content');
    const url = await urlOf(id);
    expect((await fetch(url)).status).toBe(200);
    await olga.remove(id).expect(204);
    await eventually(async () => expect((await fetch(url)).status).toBe(404));
  });

  it('removes the content of deleted files after an outage that outlasts all attempts', async () => {
    const proxy = await startCuttableProxy(new URL(process.env.S3_ENDPOINT!));
    const other = await startApp({ S3_ENDPOINT: proxy.url });
    try {
      const owner = requests(other, other.olga);
      const outbox = other.mongo.db.collection<{ _id: string; failure?: { times: number } }>('outbox');
      const id = (await owner.upload('deleted.txt', 'content').expect(201)).body[0]._id as string;
      const { internal } = (await other.mongo.db.collection('file_versions').findOne({}))!;
      const { key } = internal as { key: string };
      await owner.remove(id).expect(204);
      const discard = { name: 'content.discard.v1' };
      await outbox.updateMany(discard, { $set: { attempts: 1 } });
      proxy.cut();
      await other.startWorker();
      await eventually(async () => expect((await outbox.findOne(discard))?.failure?.times).toBeGreaterThan(1), {
        timeoutMs: 30_000,
      });
      proxy.mend();
      await eventually(async () => expect(await outbox.findOne(discard)).toBeNull());
      expect(await other.deps.objects.head(key)).toBeUndefined();
    } finally {
      await other.stop();
      await proxy.close();
    }
  });

  it('removes uploads without activity for a day, and keeps others', async () => {
    const abandoned = await client.begin('abandoned.bin', 20 * MIB);
    await client.patch(abandoned, randomBytes(9 * MIB)).expect(200);
    const kept = await client.begin('kept.bin', 20 * MIB);
    const old = await upload('old.txt', 'one');
    await client.initiate('old.txt', 5).expect(201);
    await app.deps.mongo.db
      .collection('uploads')
      .updateMany({ fileId: { $in: [abandoned, old] } }, { $set: { touchedAt: LONG_AGO } });
    await eventually(() => client.get(abandoned).expect(404));
    await client.get(kept).expect(200);
    expect(await client.offset(kept)).toBe(0);
    expect((await client.get(old)).body._status).toBe('UPLOAD_COMPLETED');
    await eventually(() => client.cancel(old).expect(404));
  });

  it('interrupts an upload whose process died, so that another process can continue it', async () => {
    const proxy = await startCuttableProxy(new URL(app.deps.config.MONGO_URL.replace('mongodb:', 'http:')));
    const url = new URL(app.deps.config.MONGO_URL.replace('mongodb:', 'http:'));
    const dying = await app.startInstance({
      MONGO_URL: `mongodb://${new URL(proxy.url).host}/?${url.searchParams.toString()}`,
    });
    const content = randomBytes(20 * MIB);
    const id = await client.begin('died.bin', content.length);
    const socket = await uploadClient(dying, app.olga).openPatch(id, content.length);
    socket.write(content.subarray(0, 10 * MIB));
    await eventually(async () => expect(await client.offset(id)).toBe(8 * MIB));
    expect((await client.get(id)).body._status).toBe('UPLOAD_INITIATED');

    proxy.cut();
    socket.destroy();
    await eventually(async () => expect((await client.get(id)).body._status).toBe('UPLOAD_INTERRUPTED'), {
      timeoutMs: 30_000,
    });
    await client.resume(id, content);
    expect((await client.download(id)).equals(content)).toBe(true);
    await proxy.close();
  });

  it('reports whether its backends respond', async () => {
    const { workers, relay } = (await app.startWorker()).jobs;
    for (const worker of workers) await worker.ping();
    expect(relay!.healthy()).toBe(true);
  });
});
