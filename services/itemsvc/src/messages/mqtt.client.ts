import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { IPublishPacket, MqttClient } from 'mqtt';
import mqtt from 'mqtt';
import pLimit from 'p-limit';
import type { NamedLease } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import { documentErrors } from '@dtplatform/mongo';
import { matchesTopic } from '../telemetryconfigs/telemetry-config.js';
import type { Delivery, Source } from './message.js';
import { topicsBelow } from './mqtt-connectors.js';
import type { Connector } from './mqtt-connectors.js';
import { readPayload } from './read-messages.js';
import type { SourceStore } from './sources.store.js';

const ASK_FOR_LEASE_EVERY_MS = 2_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** How long to wait for a broker's response. */
const TIMEOUT_MS = 10_000;
const MAX_PAYLOAD_BYTES = 256 * 1024;
const SUBSCRIPTIONS_AT_ONCE = 50;

export interface SubscriberOptions {
  name: string;
  connector: Connector;
  /** Identifies this installation to the broker; the same in every process. */
  clientId: string;
  sourceStore: SourceStore;
  /** Held by the one connected process. */
  lease: NamedLease;
  log: Logger;
  /** How often to look for changed sources. */
  refreshMs?: number;
}

/**
 * Receives the messages of a broker, in one process at a time. The broker keeps the session while no process is
 * connected and then delivers what has arrived. A message is acknowledged once it is stored.
 */
export function startSubscriber(options: SubscriberOptions) {
  const { name, lease, log } = options;
  const stopping = new AbortController();
  const pause = (timeMs: number) => delay(timeMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  let failures = 0;

  const work = async (): Promise<void> => {
    if (!(await lease.hold())) return pause(ASK_FOR_LEASE_EVERY_MS);
    await lease.whileHeld((signal) => receive(options, signal, () => (failures = 0)), stopping.signal);
  };
  const recover = async (error: unknown): Promise<void> => {
    failures += 1;
    if (!stopping.signal.aborted) log.warn({ err: error, connector: name, failures }, 'MQTT connection failed');
    await lease.release().catch(() => undefined);
    await pause(Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10), MAX_BACKOFF_MS));
  };
  const running = (async () => {
    while (!stopping.signal.aborted) await work().catch(recover);
    await lease.release().catch(() => undefined);
  })();

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

/** Stays connected until the signal aborts. Rejects if the connection ends. */
async function receive(options: SubscriberOptions, signal: AbortSignal, onConnected: () => void): Promise<void> {
  const { connector, clientId, name, log, refreshMs = 5_000 } = options;
  const receiver = createReceiver(options);
  await receiver.refresh();
  if (receiver.filters().length === 0) {
    await delay(refreshMs, undefined, { signal }).catch(() => undefined);
    return;
  }
  const { url, username, password } = connector;
  const client = mqtt.connect(url, {
    ...{ clientId, username, password, clean: false, reconnectPeriod: 0, connectTimeout: TIMEOUT_MS },
  });
  client.on('error', () => undefined);
  client.handleMessage = (packet, done) =>
    void receiver.take(packet).then(
      () => done(),
      (error: unknown) => {
        if (documentErrors(error)) {
          log.error({ err: error, connector: name }, 'MQTT message dropped: it cannot be stored');
          done();
        } else {
          log.warn({ err: error, connector: name }, 'MQTT message could not be stored');
          // The broker redelivers it on the next connection.
          client.end(true);
        }
      },
    );
  try {
    await untilConnected(client, signal);
    log.info({ connector: name }, 'MQTT connected');
    onConnected();
    const ended = new Promise<never>((_resolve, reject) => {
      client.on('error', reject);
      client.on('close', () => reject(new Error('The broker closed the connection.')));
    });
    ended.catch(() => undefined);
    for (;;) {
      await Promise.race([receiver.subscribe(client, signal), ended]);
      const isStopping = delay(refreshMs, false, { signal }).catch(() => true);
      if (await Promise.race([isStopping, ended])) return;
      await receiver.refresh();
    }
  } finally {
    // Force-closed: the broker redelivers what is not acknowledged.
    await client.endAsync(true).catch(() => undefined);
  }
}

/** Rejects on a timeout, or if the signal aborts. */
async function withTimeout<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const late = delay(TIMEOUT_MS, undefined, { signal: AbortSignal.any([signal, settled.signal]) }).then(() => {
    throw new Error('The broker does not respond.');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    settled.abort();
  }
}

function untilConnected(client: MqttClient, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('The broker closed the connection.')));
  });
}

/** Tracks subscriptions and routes messages to configurations. */
function createReceiver({ name, connector, clientId, sourceStore, log }: SubscriberOptions) {
  const topics = topicsBelow(connector.topicPrefix);
  let sources = new Map<string, Source[]>();
  const subscribed = new Set<string>();
  const rejected = new Set<string>();

  const filters = () => [...sources.keys()].flatMap((namespace) => topics.filterOf(namespace) ?? []);

  function deliveryOf(packet: IPublishPacket): Delivery | undefined {
    const place = topics.parse(packet.topic);
    // A retained message is a copy; subscribers at the time have received the original.
    if (!place || packet.retain) return undefined;
    const configIds = (sources.get(place.namespace) ?? [])
      .filter(({ channel }) => matchesTopic(channel, place.channel))
      .map(({ configId }) => configId);
    if (configIds.length === 0) return undefined;
    const payload = Buffer.from(packet.payload);
    if (payload.length > MAX_PAYLOAD_BYTES) {
      log.warn({ connector: name, namespace: place.namespace, bytes: payload.length }, 'MQTT message is too large');
      return undefined;
    }
    const { qos, dup, messageId = 0 } = packet;
    const key = createHash('sha256')
      .update(JSON.stringify([clientId, messageId, packet.topic]))
      .update(payload)
      .digest('hex');
    return {
      configIds: [...new Set(configIds)],
      ...readPayload(payload),
      ...(qos > 0 && { key, isRepeated: dup }),
    };
  }

  /** One filter per request, so that a rejected namespace does not affect others. */
  async function add(client: MqttClient, filter: string, signal: AbortSignal): Promise<void> {
    try {
      await withTimeout(client.subscribeAsync(filter, { qos: 1 }), signal);
      subscribed.add(filter);
      rejected.delete(filter);
    } catch (error) {
      if (!(error as { packet?: unknown }).packet) throw error;
      if (!rejected.has(filter)) log.warn({ err: error, connector: name, filter }, 'MQTT subscription rejected');
      rejected.add(filter);
    }
  }

  return {
    filters,

    async refresh(): Promise<void> {
      const found = new Map<string, Source[]>();
      for (const source of await sourceStore.findSources(name)) {
        found.set(source.namespace, [...(found.get(source.namespace) ?? []), source]);
      }
      sources = found;
    },

    async subscribe(client: MqttClient, signal: AbortSignal): Promise<void> {
      const wanted = new Set(filters());
      const added = [...wanted].filter((filter) => !subscribed.has(filter));
      const removed = [...subscribed].filter((filter) => !wanted.has(filter));
      const limit = pLimit(SUBSCRIPTIONS_AT_ONCE);
      await limit.map(added, (filter) => add(client, filter, signal));
      await limit.map(removed, async (filter) => {
        subscribed.delete(filter);
        await withTimeout(client.unsubscribeAsync(filter), signal);
      });
    },

    /** Resolves once the message is stored, and may then be acknowledged. */
    async take(packet: IPublishPacket): Promise<void> {
      const delivery = deliveryOf(packet);
      if (delivery) await sourceStore.put(delivery);
    },
  };
}
