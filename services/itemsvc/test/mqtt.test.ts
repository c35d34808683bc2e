import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { ingestionJobs } from '../src/messages/messages.module.js';
import { Connectors, topicsBelow } from '../src/messages/mqtt-connectors.js';
import { createSourceStore } from '../src/messages/sources.store.js';
import { NS, OTHER } from './item-client.js';
import { message, mqttClient, startBroker } from './mqtt-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { CONFIGS } from './telemetry-client.js';

describe('MQTT sources', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let broker: Awaited<ReturnType<typeof startBroker>>;
  const workers: { stop: () => Promise<void> }[] = [];
  const { send, outcome, createConfig, installation } = mqttClient(() => ({ app, owner }));
  const startWorker = async () =>
    workers.push(await app.startWorker({ MQTT_CONNECTORS: JSON.stringify({ plant: { url: broker.url } }) }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
    broker = await startBroker();
    await startWorker();
  });
  afterAll(async () => {
    for (const worker of workers) await worker.stop();
    await broker.stop();
    await app.stop();
  });

  it('bring readings from the topics below their namespace, and from no others', async () => {
    const { config, values, letters } = await installation('floor/+/temperature');
    const other = await installation('#', OTHER);
    await broker.subscribedTo(`dtplatform/${NS}/x`);
    await broker.subscribedTo(`dtplatform/${OTHER}/x`);
    await broker.publish(`dtplatform/${OTHER}/floor/1/temperature`, message(1));
    await broker.publish(`dtplatform/${NS}/floor/1/temperature`, message(2));
    await broker.publish(`dtplatform/${NS}/floor/1/humidity`, message(3));
    await broker.publish('floor/1/temperature', message(4));
    await broker.publish(`dtplatform/${NS}/floor/2/temperature`, message(5), { qos: 0 });
    await broker.publish(`dtplatform/${NS}/floor/2/temperature`, 'no JSON');
    await eventually(async () => expect(await values()).toEqual([2, 5]));
    await eventually(async () => expect(await other.values()).toEqual([1]));
    await eventually(async () => expect(await letters()).toMatchObject([{ _code: 'NO_BINDING', _message: 'no JSON' }]));
    await outcome(send('delete', `${CONFIGS}/${config._id}`));
    await outcome(send('delete', `${CONFIGS}/${other.config._id}`, { nsfilter: OTHER }));
  });

  it('are received by one of several workers, and by the next one when it dies; nothing is lost or stored twice', async () => {
    const { config, values } = await installation('meters');
    const topic = `dtplatform/${NS}/meters`;
    await broker.subscribedTo(topic);
    await startWorker();
    const all = Array.from({ length: 15 }, (_, n) => n);
    // aedes delivers what is not acknowledged again as a new message, so the connections end when everything is.
    const stored = (upTo: number) => eventually(async () => expect(await values()).toEqual(all.slice(0, upTo)));
    for (const n of all.slice(0, 5)) await broker.publish(topic, message(n));
    await stored(5);
    broker.dropConnections();
    for (const n of all.slice(5, 10)) await broker.publish(topic, message(n));
    await stored(10);
    await workers.shift()!.stop();
    // While nobody may be connected, the broker keeps them.
    for (const n of all.slice(10)) await broker.publish(topic, message(n));
    await stored(15);
    await outcome(send('delete', `${CONFIGS}/${config._id}`));
  });

  it('store a message once that the broker delivers again', async () => {
    const config = await createConfig();
    const { mongo } = app;
    const store = createSourceStore({
      mongo,
      outbox: createOutbox(mongo),
      groupMessage: ingestionJobs.messages['telemetry.ingest-group'],
    });
    const letters = mongo.db.collection('telemetry_dead_letters');
    const delivery = { configIds: [config._id], content: '{"n":1}', key: 'k1' };
    await store.put({ ...delivery, isRepeated: true });
    await Promise.all([store.put({ ...delivery, isRepeated: true }), store.put({ ...delivery, isRepeated: true })]);
    await eventually(async () => expect(await letters.countDocuments({ configId: config._id })).toBe(1));
    // Another message of the same packet id is no repetition.
    await store.put({ ...delivery, isRepeated: false });
    await eventually(async () => expect(await letters.countDocuments({ configId: config._id })).toBe(2));
    await store.put({ ...delivery, configIds: ['f'.repeat(24)], key: 'k2' });
    expect(await mongo.db.collection('telemetry_messages').countDocuments({ configId: 'f'.repeat(24) })).toBe(0);
  });

  it('become dead letters while too many messages wait', async () => {
    const config = await createConfig();
    const { mongo } = app;
    const common = { configId: config._id, groupId: 'none', content: '{}', createdAt: 1, namespaces: [NS] };
    const waiting = mongo.db.collection('telemetry_messages');
    await waiting.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: `m${n}` as never, ...common })));
    const store = createSourceStore({
      mongo,
      outbox: createOutbox(mongo),
      groupMessage: ingestionJobs.messages['telemetry.ingest-group'],
    });
    await store.put({ configIds: [config._id], content: '{"n":1}' });
    expect(await mongo.db.collection('telemetry_dead_letters').findOne({ configId: config._id })).toMatchObject({
      code: 'TOO_MANY_MESSAGES',
    });
    await waiting.deleteMany({ configId: config._id });
  });

  it('stay below the prefix of their namespace', () => {
    const topics = topicsBelow('plants/{namespace}/telemetry');
    expect(topics.filterOf('n1')).toBe('plants/n1/telemetry/#');
    for (const namespace of ['+', '#', 'a/b', 'a+', ''])
      expect(topics.filterOf(namespace)).toBe(namespace === '' ? 'plants//telemetry/#' : undefined);
    expect(topics.parse('plants/n1/telemetry/a/b')).toEqual({ namespace: 'n1', channel: 'a/b' });
    for (const topic of ['plants/n1/telemetry', 'plants/n1/other/a', 'other/n1/telemetry/a', ''])
      expect(topics.parse(topic)).toBeUndefined();
  });

  it.each([
    '{',
    '[]',
    '{"a":{}}',
    '{"a":{"url":"http://x"}}',
    '{"a":{"url":"mqtt://x","topicPrefix":"fixed"}}',
    '{"a":{"url":"mqtt://x","topicPrefix":"#/{namespace}"}}',
  ])('need valid connectors: %s', (text) => expect(Connectors.safeParse(text).success).toBe(false));
});
