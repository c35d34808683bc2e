import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { message, mqttClient, startBroker } from './mqtt-client.js';
import { NS, openApp, OTHER } from './start-app.js';

const here = await openApp(NS, OTHER);
const { app } = here;
const { installation } = mqttClient(here);
// Creates configurations.
await app.startWorker();

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('messages of a device', () => {
  let broker: Awaited<ReturnType<typeof startBroker>>;
  let worker: { stop: () => Promise<void> };

  beforeEach(async () => {
    broker = await startBroker();
  });
  afterEach(async () => {
    await worker.stop();
    await broker.stop();
  });
  /** Connects after the configurations were created, so that none of their messages is missed. */
  const connect = async (name: string) => {
    worker = await app.startWorker({ MQTT_CONNECTORS: JSON.stringify({ [name]: { url: broker.url } }) });
    await broker.subscribedTo(`dtplatform/${NS}/x`);
  };

  it('become dead letters with a reason if they are invalid, without blocking others', async () => {
    const { values, letters } = await installation('in/#', NS, 'letters');
    const other = await installation('#', OTHER, 'letters');
    const topic = `dtplatform/${NS}/in/a`;
    await connect('letters');
    await broker.subscribedTo(`dtplatform/${OTHER}/x`);
    const bad: [string | Buffer, string, string, unknown?][] = [
      [Buffer.from('{"deviceType":"caf\xe9"}', 'latin1'), 'MESSAGE_NOT_VALID', 'is not valid UTF-8'],
      [Buffer.from([0xff, 0xfe, 0, 0xd8]), 'MESSAGE_NOT_VALID', 'is not valid UTF-8', '//4A2A=='],
      ['{"deviceType":"thermo","n":9007199254740993}', 'MESSAGE_NOT_VALID', 'cannot be kept exactly'],
      ['{"deviceType":"thermo","n":1e999}', 'MESSAGE_NOT_VALID', 'cannot be kept exactly'],
      ['{"deviceType":"thermo","t":"a\\ud800"}', 'MESSAGE_NOT_VALID', 'is not valid Unicode'],
      ['{"deviceType":"thermo","t":"a\\u0000"}', 'MESSAGE_NOT_VALID', 'NUL'],
      ['{"deviceType":"thermo","a":{"_bsontype":"x"}}', 'MESSAGE_NOT_VALID', 'a._bsontype'],
      ['{"__proto__":{"deviceType":"thermo"}}', 'MESSAGE_NOT_VALID', '__proto__'],
      ['a\0b', 'MESSAGE_NOT_VALID', 'NUL', 'a\0b'],
      [deep(100_000), 'MESSAGE_NOT_VALID', 'nested more than 64 levels deep'],
      ['', 'NO_BINDING', '', ''],
      ['null', 'NO_BINDING', '', null],
      ['{"deviceType":"thermo"', 'NO_BINDING', '', '{"deviceType":"thermo"'],
    ];
    for (const [payload] of bad) await broker.publish(topic, payload);
    await broker.publish(topic, message(1));
    await broker.publish(topic, 'x'.repeat(2 * 1024 * 1024));
    await broker.publish(`dtplatform/${OTHER}/x`, message(1));
    await eventually(async () => expect(await values()).toEqual([1]), { timeoutMs: 45_000 });
    await eventually(async () => expect(await other.values()).toEqual([1]));
    const found = await eventually(async () => {
      const list = (await letters()) as { _code: string; _reason: string; _message: unknown }[];
      expect(list).toHaveLength(bad.length);
      return list;
    });
    for (const [payload, _code, reason, _message = String(payload)] of bad.slice(1)) {
      const one = { _code, _reason: expect.stringContaining(reason), _message };
      expect(found).toContainEqual(expect.objectContaining(one));
    }
  });

  it('match only channels of their topic, whatever its levels contain', async () => {
    const all = await installation('#', NS, 'topics');
    const one = await installation('a/+/c', NS, 'topics');
    await connect('topics');
    const levels = ['$SYS', '$share', '.*', '(a|b)*$', '__proto__', 'é', '😀', ' ', '', 'x'.repeat(10_000)];
    const topics = levels.map((level) => `dtplatform/${NS}/a/${level}/c`);
    for (const [n, topic] of topics.entries()) await broker.publish(topic, message(n));
    for (const topic of [`dtplatform/${NS}`, `dtplatform/${OTHER}x/a/b/c`, `/dtplatform/${NS}/a/b/c`])
      await broker.publish(topic, message(100));
    const many = Array.from({ length: 10 }, (_, n) => 200 + n);
    await Promise.all(many.map((n) => broker.publish(`dtplatform/${NS}/many/${n}`, message(n))));
    const first = topics.map((_topic, n) => n);
    await eventually(async () => expect(await all.values()).toEqual([...first, ...many]), { timeoutMs: 45_000 });
    await eventually(async () => expect(await one.values()).toEqual(first));
  });

  it('are redelivered while MongoDB rejects valid ones', async () => {
    const { values } = await installation('in/#', NS, 'refused');
    const accept = (validator: object) => app.mongo.db.command({ collMod: 'telemetry_messages', validator });
    await accept({ never: 1 });
    await connect('refused');
    const cut = new Promise((resolve) => broker.broker.once('clientDisconnect', resolve));
    await broker.publish(`dtplatform/${NS}/in/a`, message(1));
    await cut;
    await accept({});
    await eventually(async () => expect(await values()).toEqual([1]), { timeoutMs: 45_000 });
  });

  it('are stored once with QoS 2, and not if they are retained', async () => {
    for (let n = 0; n < 20; n++) await broker.publish(`dtplatform/${NS}/kept/${n}`, message(n), { retain: true });
    const { values } = await installation('kept/#', NS, 'kept');
    await connect('kept');
    broker.dropConnections();
    await broker.publish(`dtplatform/${NS}/kept/0`, message(1000), { qos: 2 });
    await broker.publish(`dtplatform/${NS}/kept/0`, message(1001), { qos: 2, dup: true });
    await eventually(async () => expect(await values()).toEqual([1000, 1001]));
  });
});

/** The behavior of a broker. */
type Answer = (bytes: Buffer, socket: Socket) => void;
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

describe('a misbehaving broker', () => {
  it.each<[string, Answer]>([
    ['never responds', () => undefined],
    ['responds with bytes that are not packets', (_bytes, socket) => socket.write(Buffer.alloc(64, 0xff))],
    ['closes each connection', (_bytes, socket) => socket.destroy()],
    ['rejects the client', (_bytes, socket) => socket.write(Buffer.from(REFUSAL))],
    ['never confirms a subscription', (bytes, socket) => isConnect(bytes) && socket.write(Buffer.from(CONNACK))],
    [
      'sends unsolicited packets',
      (bytes, socket) => socket.write(Buffer.from(isConnect(bytes) ? [...CONNACK, ...STRAY] : STRAY)),
    ],
  ])('that %s does not affect other brokers or stop a worker', async (what, answer) => {
    const good = await startBroker();
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('data', (bytes) => answer(bytes, socket)).on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await installation('#', NS, `bad ${what}`);
    const { values } = await installation('#', NS, `good ${what}`);
    const connectors = { [`bad ${what}`]: { url }, [`good ${what}`]: { url: good.url } };
    const worker = await app.startWorker({ MQTT_CONNECTORS: JSON.stringify(connectors) });
    await good.subscribedTo(`dtplatform/${NS}/x`);
    await eventually(() => expect(connections).toBeGreaterThan(0));
    await good.publish(`dtplatform/${NS}/x`, message(1));
    await eventually(async () => expect(await values()).toEqual([1]));
    await worker.stop();
    await good.stop();
    server.close();
  });

  it('that rejects the topics of one namespace does not affect those of others', async () => {
    const good = await startBroker();
    good.broker.authorizeSubscribe = (client, subscription, done) =>
      done(null, client.id.startsWith('dtp-') && subscription.topic.includes(OTHER) ? null : subscription);
    await installation('#', OTHER, 'strict');
    const { values } = await installation('#', NS, 'strict');
    const worker = await app.startWorker({ MQTT_CONNECTORS: JSON.stringify({ strict: { url: good.url } }) });
    await good.subscribedTo(`dtplatform/${NS}/x`);
    await good.publish(`dtplatform/${NS}/x`, message(1));
    await eventually(async () => expect(await values()).toEqual([1]));
    await worker.stop();
    await good.stop();
  });
});
