import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from '@jest/globals';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';
import { eventually } from '@dtplatform/testing';
import { itemClient } from './item-client.js';
import { NS } from './start-app.js';
import type { Here } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

const T0 = Date.UTC(2026, 0, 1);
const NORMALIZE =
  'const normalize = ({ device, at, value }) => ({ _ts: at, _tsMetadata: { _sourceId: device }, value })';

/** A message of a device. */
export const message = (value: number) => JSON.stringify({ deviceType: 'thermo', device: 'a', at: T0 + value, value });

/** A broker with a connected device. */
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

/** Collections and configurations that receive messages from brokers. */
export function mqttClient(here: Here) {
  const telemetry = telemetryClient(here);
  const { send, outcome } = telemetry;
  /** A collection with one telemetry item, and a configuration that receives a channel. */
  const installation = async (_channel: string, nsfilter = NS, _connector = 'plant') => {
    const { createOne, addRows, get } = itemClient(here, nsfilter);
    const _userType = `mqtt_${(count += 1)}`;
    const _namespaces = [nsfilter];
    const collection = await createOne({ _itemClass: 'NamedTelemetryCollection', _namespaces });
    await addRows(collection._id, [{ _sourceId: 'a' }]);
    await createOne({ _itemClass: 'Script', _namespaces, _userType, _version: { _userData: NORMALIZE } });
    const _configData = {
      _bindings: [{ collectionDesc: { _userItemId: collection._userItemId }, query: { deviceType: 'thermo' } }],
      _normalizationScript: { _userType },
      _sources: [{ _connector, _channel }],
    };
    const { body: config } = await outcome(
      send('post', CONFIGS, { nsfilter }).send(configDraft({ _namespaces, _configData })),
    );
    const path = `${CONFIGS}/${config._id}`;
    return {
      config,
      values: async (): Promise<number[]> => {
        const { body } = await get(`${collection._id}/relateditems/readings`, { _pageSize: 1000 }).expect(200);
        return body._list.map(({ value }: { value: number }) => value).sort((x: number, y: number) => x - y);
      },
      letters: async () => (await send('get', `${path}/deadletters`, { nsfilter }).expect(200)).body._list,
      remove: () => outcome(send('delete', path, { nsfilter })),
    };
  };
  return { ...telemetry, installation };
}
