import { afterAll, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { ingestionJobs } from '../src/messages/messages.module.js';
import { Connectors, topicsBelow } from '../src/messages/mqtt-connectors.js';
import { createSourceStore } from '../src/messages/sources.store.js';
import { UNKNOWN } from './item-client.js';
import { message, mqttClient, startBroker } from './mqtt-client.js';
import { NS, openApp, OTHER } from './start-app.js';

const here = await openApp(NS, OTHER);
const { app } = here;
const { mongo } = app;
const { createConfig, installation } = mqttClient(here);
const broker = await startBroker();
const startWorker = () => app.startWorker({ MQTT_CONNECTORS: JSON.stringify({ plant: { url: broker.url } }) });
const workers = [await startWorker()];
const store = createSourceStore({
  mongo,
  outbox: createOutbox(mongo),
  groupMessage: ingestionJobs.messages['telemetry.ingest-group'],
});
const letters = app.stored('telemetry_dead_letters');
const waiting = app.stored('telemetry_messages');

afterAll(() => broker.stop());

describe('MQTT sources', () => {
  it('receive matching topics of their own namespace only', async () => {
    const { values, letters, remove } = await installation('floor/+/temperature');
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
    await remove();
    await other.remove();
  });

  it('are received once by one of several workers, and by another one when it stops', async () => {
    const { values, remove } = await installation('meters');
    const topic = `dtplatform/${NS}/meters`;
    await broker.subscribedTo(topic);
    workers.push(await startWorker());
    const all = Array.from({ length: 15 }, (_, n) => n);
    // aedes redelivers unacknowledged messages as new ones, so connections are only cut when all are acknowledged.
    const stored = (upTo: number) => eventually(async () => expect(await values()).toEqual(all.slice(0, upTo)));
    for (const n of all.slice(0, 5)) await broker.publish(topic, message(n));
    await stored(5);
    broker.dropConnections();
    for (const n of all.slice(5, 10)) await broker.publish(topic, message(n));
    await stored(10);
    await workers.shift()!.stop();
    // The broker keeps them while no worker is connected.
    for (const n of all.slice(10)) await broker.publish(topic, message(n));
    await stored(15);
    await remove();
  });

  it('store a redelivered message once', async () => {
    const { _id: configId } = await createConfig();
    const count = () => letters.countDocuments({ configId });
    const delivery = { configIds: [configId], content: '{"n":1}', key: 'k1' };
    const redeliver = () => store.put({ ...delivery, isRepeated: true });
    await redeliver();
    await Promise.all([redeliver(), redeliver()]);
    await eventually(async () => expect(await count()).toBe(1));
    // Packet ids are reused, so this is another message.
    await store.put({ ...delivery, isRepeated: false });
    await eventually(async () => expect(await count()).toBe(2));
    await store.put({ ...delivery, configIds: [UNKNOWN], key: 'k2' });
    expect(await waiting.countDocuments({ configId: UNKNOWN })).toBe(0);
  });

  it('turn messages into dead letters while too many wait', async () => {
    const { _id: configId } = await createConfig();
    const common = { configId, groupId: 'none', content: '{}', createdAt: 1, namespaces: [NS] };
    await waiting.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: `m${n}`, ...common })));
    await store.put({ configIds: [configId], content: '{"n":1}' });
    expect(await letters.findOne({ configId })).toMatchObject({ code: 'TOO_MANY_MESSAGES' });
    await waiting.deleteMany({ configId });
  });

  it('map namespaces to topics below a prefix', () => {
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
  ])('reject the connectors %s', (text) => expect(Connectors.safeParse(text).success).toBe(false));
});
