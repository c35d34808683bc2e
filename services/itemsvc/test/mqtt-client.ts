import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from '@jest/globals';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';
import { eventually } from '@dtplatform/testing';
import { ingestionClient, message as messageOf, T0 } from './ingestion-client.js';
import type { Here } from './start-app.js';
import { telemetryClient } from './telemetry-client.js';

/** A message of a device. */
export const message = (value: number) => JSON.stringify(messageOf('a', [value], { at: T0 + value }));

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

/** Collections and configurations that receive messages from brokers. */
export const mqttClient = (here: Here) => ({
  ...telemetryClient(here),
  /** A collection with telemetry items, and a configuration that receives a channel. */
  installation: async (_channel: string, nsfilter: string, _connector: string) => {
    const { installation, valuesOf, letters } = ingestionClient(here, nsfilter);
    const { collection, config } = await installation({ sources: [{ _connector, _channel }] });
    return {
      values: async () => ((await valuesOf(collection._id)) as number[]).sort((x, y) => x - y),
      letters: async () => (await letters(config._id))._list,
    };
  },
});
