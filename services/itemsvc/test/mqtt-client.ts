import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from '@jest/globals';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';
import { eventually } from '@dtplatform/testing';
import { doors, ITEMS, NS } from './item-client.js';
import type { TestApp } from './start-app.js';
import { CONFIGS, telemetryClient } from './telemetry-client.js';

const T0 = Date.UTC(2026, 0, 1);
const NORMALIZE =
  'const normalize = ({ device, at, value }) => ({ _ts: at, _tsMetadata: { _sourceId: device }, value })';

/** What a device sends. */
export const message = (value: number) => JSON.stringify({ deviceType: 'thermo', device: 'a', at: T0 + value, value });

/** A broker, and a device that is connected to it. */
export async function startBroker() {
  const broker = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    broker.handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const device = await mqtt.connectAsync(url, { reconnectPeriod: 100 });
  return {
    broker,
    url,
    publish: (topic: string, payload: string | Buffer, options: object = {}) =>
      device.publishAsync(topic, payload, { qos: 1, ...options }),
    subscribedTo: (topic: string) =>
      eventually(async () => {
        const { persistence } = broker as unknown as {
          persistence: { subscriptionsByTopic(topic: string): Promise<{ clientId: string }[]> };
        };
        const clients = await persistence.subscriptionsByTopic(topic);
        expect(clients.filter(({ clientId }) => clientId.startsWith('dtp-'))).toHaveLength(1);
      }),
    dropConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      await device.endAsync(true);
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      server.close();
    },
  };
}

let count = 0;

/** Collections and configurations that get messages of brokers, of one caller. @param caller set before the first call */
export function mqttClient(caller: () => { app: TestApp; owner: { authorization: string } }) {
  const { send, outcome, createConfig } = telemetryClient(caller);
  const valuesOf = async (id: string, nsfilter: string): Promise<number[]> => {
    const query = { nsfilter, _pageSize: 1000 };
    const { body } = await send('get', `${ITEMS}/${id}/relateditems/readings`, query).expect(200);
    return body._list.map(({ value }: { value: number }) => value).sort((x: number, y: number) => x - y);
  };
  /** A collection with one telemetry item, and a configuration that brings it the messages of a channel. */
  const installation = async (_channel: string, namespace = NS, _connector = 'plant') => {
    const _userType = `mqtt_${(count += 1)}`;
    const query = { nsfilter: namespace };
    const create = async (more: object) =>
      (
        await send('post', ITEMS, query)
          .send([doors({ _namespaces: [namespace], ...more })])
          .expect(201)
      ).body._list[0];
    const collection = await create({ _itemClass: 'NamedTelemetryCollection' });
    await send('post', `${ITEMS}/${collection._id}/relateditems`, query)
      .send([{ _sourceId: 'a' }])
      .expect(201);
    await create({ _itemClass: 'Script', _userType, _version: { _userData: NORMALIZE } });
    const config = await outcome(
      send('post', CONFIGS, query).send({
        ...{ _name: 'n', _shortName: _userType, _description: '', _userType: 'iot', _namespaces: [namespace] },
        _configData: {
          _bindings: [{ collectionDesc: { _userItemId: collection._userItemId }, query: { deviceType: 'thermo' } }],
          _normalizationScript: { _userType },
          _sources: [{ _connector, _channel }],
        },
      }),
    );
    const letters = async (nsfilter = namespace) =>
      (await send('get', `${CONFIGS}/${config.body._id}/deadletters`, { nsfilter }).expect(200)).body._list;
    return { config: config.body, values: () => valuesOf(collection._id, namespace), letters };
  };
  return { send, outcome, createConfig, installation };
}
