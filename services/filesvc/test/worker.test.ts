import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { requests } from './requests.js';
import { startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const LONG_AGO = new Date('2020-01-01');

const app = await startApp();
const olga = requests(app, app.olga);
const client = uploadClient(app, app.olga);
await app.startWorker({ UPLOAD_SWEEP_EVERY_MS: '200' });
afterAll(() => app.stop());

describe('the worker', () => {
  const upload = async (name: string, content: string, fields = {}) =>
    (await olga.upload(name, content, fields).expect(201)).body[0]._id as string;

  it('removes content of deleted files after an outage that outlasts all attempts', async () => {
    const other = await startApp();
    const proxy = await startCuttableProxy(new URL(process.env.S3_ENDPOINT!));
    const owner = requests(other, other.olga);
    const outbox = other.mongo.db.collection<{ failure?: { times: number } }>('outbox');
    const [{ _id, _tipId }] = (await owner.upload('deleted.txt', 'content').expect(201)).body;
    await owner.remove(_id).expect(204);
    const discard = { name: 'content.discard.v1' };
    await outbox.updateMany(discard, { $set: { attempts: 1 } });
    proxy.cut();
    await other.startWorker({ S3_ENDPOINT: proxy.url });
    await eventually(async () => expect((await outbox.findOne(discard))?.failure?.times).toBeGreaterThan(1), {
      timeoutMs: 30_000,
    });
    expect(await other.deps.objects.head(`versions/${_tipId}`)).toBeDefined();
    proxy.mend();
    await eventually(async () => expect(await outbox.findOne(discard)).toBeNull());
    expect(await other.deps.objects.head(`versions/${_tipId}`)).toBeUndefined();
    await other.stop();
    await proxy.close();
  });

  it('removes only uploads without activity for a day', async () => {
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

  it('interrupts an upload whose process died', async () => {
    const mongo = new URL(app.deps.config.MONGO_URL.replace('mongodb:', 'http:'));
    const proxy = await startCuttableProxy(mongo);
    const dying = await app.startInstance({ MONGO_URL: `mongodb://127.0.0.1:${proxy.port}/${mongo.search}` });
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
});
