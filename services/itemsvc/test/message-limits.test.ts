import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { ingestionClient, message } from './ingestion-client.js';
import { NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { CONFIGS } from './telemetry-client.js';

describe('messages of devices', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { send, outcome, createConfig, installation, post, letters, ingestionWith } = ingestionClient(() => ({
    app,
    owner,
  }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
    await app.startWorker();
  });
  afterAll(() => app.stop());

  it.each<[number, unknown]>([
    [400, {}],
    [400, []],
    [400, [1]],
    [400, ['text']],
    [400, [[]]],
    [400, Array.from({ length: 1001 }, () => ({}))],
    [413, [{ text: 'x'.repeat(5_000_000) }]],
  ])('are refused with %d when they are not valid (%#)', async (status, body) => {
    const config = await createConfig();
    await post(config._id, body).expect(status);
  });

  it('are refused while too many wait, and go with their configuration', async () => {
    const { config } = await installation();
    const waiting = app.mongo.db.collection('telemetry_messages');
    const common = { configId: config._id, groupId: 'none', content: '{}', bytes: 2, createdAt: 1, namespaces: [NS] };
    await waiting.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: `m${n}` as never, ...common })));
    const refused = await post(config._id, [message('a')]).expect(429);
    expect(refused.headers['retry-after']).toBe('5');
    await outcome(send('delete', `${CONFIGS}/${config._id}`));
    expect(await waiting.countDocuments({ configId: config._id })).toBe(0);
  });

  it('are bounded by bytes in pages and replays of dead letters, and in what the worker reads at once', async () => {
    const { config } = await installation({ script: 'const normalize = () => null' });
    const path = `${CONFIGS}/${config._id}/deadletters`;
    const content = JSON.stringify(message('a', [], { text: 'x'.repeat(900 * 1024) }));
    const fields = { configId: config._id, groupId: 'none', content, bytes: content.length, createdAt: 1 };
    const failed = { ...fields, code: 'NO_BINDING', reason: '', failedAt: new Date() };
    const stored = app.mongo.db.collection('telemetry_dead_letters');
    await stored.insertMany(Array.from({ length: 6 }, (_, n) => ({ _id: `large${n}` as never, ...failed })));
    const refused = await send('get', path, { nsfilter: NS, _pageSize: 2 }).expect(400);
    expect(refused.body.code).toBe('PAGE_TOO_LARGE');
    expect((await letters(config._id, { _pageSize: 1 }))._list).toHaveLength(1);
    expect((await outcome(send('post', `${path}/replay`).send({}))).body).toEqual({ _total: 4, _deadLetters: 0 });
    expect((await letters(config._id, { _pageSize: 1 }))._total).toBe(2);

    const waiting = app.mongo.db.collection('telemetry_messages');
    const own = { ...fields, groupId: 'sizes', namespaces: [NS] };
    await waiting.insertMany([1, 2, 3].map((n) => ({ _id: `size${n}` as never, ...own })));
    let read: string[] = [];
    ingestionWith({ normalize: () => Promise.reject(new Error('unused')) }, (store) => {
      void store.nextMessages('sizes').then((found) => (read = found.map(({ _id }) => _id)));
      return store;
    });
    await eventually(() => expect(read).toEqual(['size1']));
    await waiting.deleteMany({ groupId: 'sizes' });
  });

  it('are limited by bytes while they wait, and as dead letters', async () => {
    const { config } = await installation();
    const large = { configId: config._id, groupId: 'none', content: '{}', bytes: 64 * 1024 ** 2, createdAt: 1 };
    const stored = app.mongo.db.collection('telemetry_dead_letters');
    await stored.insertOne({ _id: '0' as never, ...large, code: 'NO_BINDING', reason: '', failedAt: new Date() });
    await outcome(post(config._id, [message('broken')]));
    expect((await letters(config._id))._list).toMatchObject([{ _code: 'SCRIPT_FAILED' }]);
    const other = await installation();
    const waiting = app.mongo.db.collection('telemetry_messages');
    await waiting.insertOne({ _id: 'big' as never, ...large, configId: other.config._id, namespaces: [NS] });
    await post(other.config._id, [message('a')]).expect(429);
    await waiting.deleteOne({ _id: 'big' as never });
  });
});
