import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
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
// Creates configurations.
await app.startWorker();

describe('MQTT sources', () => {
  let broker: Awaited<ReturnType<typeof startBroker>>;
  let workers: { stop: () => Promise<void> }[];
  beforeEach(async () => {
    broker = await startBroker();
    workers = [];
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await broker.stop();
  });
  /** Connects after the configurations were created, so that none of their messages is missed. */
  const connect = async (name: string, others: object = {}) => {
    const connectors = { [name]: { url: broker.url }, ...others };
    workers.push(await app.startWorker({ MQTT_CONNECTORS: JSON.stringify(connectors) }));
    await broker.subscribedTo(`dtplatform/${NS}/x`);
  };

  it('receive only matching topics of their own namespace, whatever the levels contain', async () => {
    const { values } = await installation('floor/+/t', NS, 'topics');
    const other = await installation('#', OTHER, 'topics');
    await connect('topics');
    await broker.subscribedTo(`dtplatform/${OTHER}/x`);
    await broker.publish(`dtplatform/${OTHER}/floor/1/t`, message(50));
    const ignored = [`dtplatform/${NS}/floor/1/h`, 'floor/1/t', `dtplatform/${NS}`];
    for (const topic of [...ignored, `dtplatform/${OTHER}x/floor/1/t`, `/dtplatform/${NS}/floor/1/t`])
      await broker.publish(topic, message(100));
    const levels = ['$SYS', '$share', '.*', '(a|b)*$', '__proto__', 'é', '😀', ' ', '', 'x'.repeat(10_000)];
    for (const [n, level] of levels.entries())
      await broker.publish(`dtplatform/${NS}/floor/${level}/t`, message(n), { qos: n % 2 });
    await eventually(async () => expect(await values()).toEqual(levels.map((_level, n) => n)), { timeoutMs: 45_000 });
    await eventually(async () => expect(await other.values()).toEqual([50]));
  });

  it('are received once by one of several workers, and by another one when it stops', async () => {
    const { values } = await installation('meters', NS, 'several');
    const topic = `dtplatform/${NS}/meters`;
    await connect('several');
    await connect('several');
    const all = Array.from({ length: 15 }, (_, n) => n);
    // aedes redelivers unacknowledged messages as new ones, so connections are only cut when all are acknowledged.
    const stored = (upTo: number) => eventually(async () => expect(await values()).toEqual(all.slice(0, upTo)));
    for (const n of all.slice(0, 5)) await broker.publish(topic, message(n));
    await stored(5);
    broker.dropConnections();
    for (const n of all.slice(5, 10)) await broker.publish(topic, message(n));
    await stored(10);
    await workers.shift()!.stop();
    // The broker keeps them while no worker is connected. It may send a message twice while one connects.
    for (const n of all.slice(10)) await broker.publish(topic, message(n));
    await eventually(async () => expect([...new Set(await values())]).toEqual(all));
  });

  it('turn invalid messages into dead letters with a reason, without blocking others', async () => {
    const { values, letters } = await installation('in/#', NS, 'letters');
    const topic = `dtplatform/${NS}/in/a`;
    await connect('letters');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const bad: [payload: string | Buffer, code: string, reason: string, message: unknown][] = [
      [Buffer.from([0xff, 0xfe, 0, 0xd8]), 'MESSAGE_NOT_VALID', 'is not valid UTF-8', '//4A2A=='],
      ['{"n":9007199254740993}', 'MESSAGE_NOT_VALID', 'cannot be represented exactly', '{"n":9007199254740993}'],
      ['a\0b', 'MESSAGE_NOT_VALID', 'NUL', 'a\0b'],
      [deep, 'MESSAGE_NOT_VALID', 'nested more than 64 levels deep', deep],
      ['', 'NO_BINDING', '', ''],
      ['{"deviceType":"thermo"', 'NO_BINDING', '', '{"deviceType":"thermo"'],
    ];
    for (const [payload] of bad) await broker.publish(topic, payload);
    await broker.publish(topic, 'x'.repeat(2 * 1024 * 1024));
    await broker.publish(topic, message(1));
    await eventually(async () => expect(await values()).toEqual([1]), { timeoutMs: 45_000 });
    await eventually(async () => {
      const found = await letters();
      expect(found).toHaveLength(bad.length);
      for (const [, _code, reason, _message] of bad)
        expect(found).toContainEqual(
          expect.objectContaining({ _code, _reason: expect.stringContaining(reason), _message }),
        );
    });
  });

  it('receive messages again after MongoDB rejected valid ones', async () => {
    const { values } = await installation('in/#', NS, 'refused');
    const accept = (validator: object) => mongo.db.command({ collMod: 'telemetry_messages', validator });
    await accept({ never: 1 });
    await connect('refused');
    const cut = new Promise((resolve) => broker.broker.once('clientDisconnect', resolve));
    await broker.publish(`dtplatform/${NS}/in/a`, message(1));
    await cut;
    await accept({});
    await eventually(async () => expect(await values()).toEqual([1]), { timeoutMs: 45_000 });
  });

  it('store messages with QoS 2 once, and no retained ones', async () => {
    for (let n = 0; n < 20; n++) await broker.publish(`dtplatform/${NS}/kept/${n}`, message(n), { retain: true });
    const { values } = await installation('kept/#', NS, 'kept');
    await connect('kept');
    broker.dropConnections();
    await broker.publish(`dtplatform/${NS}/kept/0`, message(1000), { qos: 2 });
    await broker.publish(`dtplatform/${NS}/kept/0`, message(1001), { qos: 2, dup: true });
    await eventually(async () => expect(await values()).toEqual([1000, 1001]));
  });

  it('receive messages while other brokers misbehave', async () => {
    const servers = await Promise.all(MISBEHAVIORS.map((behave) => startBadBroker(behave)));
    for (const n of servers.keys()) await installation('#', NS, `bad ${n}`);
    const { values } = await installation('#', NS, 'good');
    await connect('good', Object.fromEntries(servers.map(({ url }, n) => [`bad ${n}`, { url }])));
    await eventually(() => expect(servers.map(({ connections }) => connections())).not.toContain(0));
    await broker.publish(`dtplatform/${NS}/x`, message(1));
    await eventually(async () => expect(await values()).toEqual([1]));
    for (const { server } of servers) server.close();
  });

  it('receive messages while the broker rejects the topics of another namespace', async () => {
    broker.broker.authorizeSubscribe = (client, subscription, done) =>
      done(null, client.id.startsWith('dtp-') && subscription.topic.includes(OTHER) ? null : subscription);
    await installation('#', OTHER, 'strict');
    const { values } = await installation('#', NS, 'strict');
    await connect('strict');
    await broker.publish(`dtplatform/${NS}/x`, message(1));
    await eventually(async () => expect(await values()).toEqual([1]));
  });
});

type Behavior = (bytes: Buffer, socket: Socket) => unknown;
const CONNACK = [0x20, 2, 0, 0];
const REFUSAL = [0x20, 2, 0, 5];
const TOPIC = [...Buffer.from(`dtplatform/${NS}/+/#\0`), 0xff];
/** Unsolicited PUBACK, PUBREL and SUBACK, a PUBLISH to an invalid topic, and one with QoS 3. */
const STRAY = [
  ...[0x40, 2, 0, 7, 0x62, 2, 0, 8, 0x90, 3, 0, 9, 0],
  ...[0x30, TOPIC.length + 2, 0, TOPIC.length, ...TOPIC],
  ...[0x36, 3, 0, 1, 0x41],
];
const isConnect = (bytes: Buffer) => bytes[0] === 0x10;
/** No response, bytes that are not packets, closed connections, rejections, no SUBACK, unsolicited packets. */
const MISBEHAVIORS: Behavior[] = [
  () => undefined,
  (_bytes, socket) => socket.write(Buffer.alloc(64, 0xff)),
  (_bytes, socket) => socket.destroy(),
  (_bytes, socket) => socket.write(Buffer.from(REFUSAL)),
  (bytes, socket) => isConnect(bytes) && socket.write(Buffer.from(CONNACK)),
  (bytes, socket) => socket.write(Buffer.from(isConnect(bytes) ? [...CONNACK, ...STRAY] : STRAY)),
];

async function startBadBroker(behave: Behavior): Promise<{ server: Server; url: string; connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('data', (bytes) => behave(bytes, socket)).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => count };
}

describe('messages from a broker', () => {
  const letters = app.stored('telemetry_dead_letters');
  const waiting = app.stored('telemetry_messages');
  const groupMessage = ingestionJobs.messages['telemetry.ingest-group'];
  const store = createSourceStore({ mongo, outbox: createOutbox(mongo), groupMessage });

  it('are stored once if they are redelivered', async () => {
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

  it('become dead letters while too many wait', async () => {
    const { _id: configId } = await createConfig();
    const common = { configId, groupId: 'none', content: '{}', createdAt: 1, namespaces: [NS] };
    await waiting.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ _id: `m${n}`, ...common })));
    await store.put({ configIds: [configId], content: '{"n":1}' });
    expect(await letters.findOne({ configId })).toMatchObject({ code: 'TOO_MANY_MESSAGES' });
    await waiting.deleteMany({ configId });
  });
});

describe('MQTT connectors', () => {
  it('map namespaces to topics below a prefix', () => {
    const topics = topicsBelow('plants/{namespace}/telemetry');
    expect(['n1', '', '+', '#', 'a/b', 'a+'].map((namespace) => topics.filterOf(namespace))).toEqual([
      ...['plants/n1/telemetry/#', 'plants//telemetry/#'],
      ...[undefined, undefined, undefined, undefined],
    ]);
    expect(topics.parse('plants/n1/telemetry/a/b')).toEqual({ namespace: 'n1', channel: 'a/b' });
    for (const topic of ['plants/n1/telemetry', 'plants/n1/other/a', 'other/n1/telemetry/a', ''])
      expect(topics.parse(topic)).toBeUndefined();
  });

  it.each([
    ...['{', '[]', '{"a":{}}', '{"a":{"url":"http://x"}}', '{"a":{"url":"mqtt://x","topicPrefix":"fixed"}}'],
    '{"a":{"url":"mqtt://x","topicPrefix":"#/{namespace}"}}',
  ])('cannot be %s', (text) => expect(Connectors.safeParse(text).success).toBe(false));
});
