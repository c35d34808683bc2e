import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Readiness } from '@dtplatform/http';
import { connectRedis } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import { createHealth } from './health.js';
import type { ProcessReport } from './health.js';
import type { ProcessContext } from './service-config.js';
import { createTraffic, JOBS, REQUESTS } from './traffic.js';

const EVERY_MS = 15_000;
const UNTIL_READY_MS = 2_000;

interface Options extends ProcessContext {
  config: { REDIS_URL: string };
  /** Defaults to a connection of its own. */
  redis?: RedisConnection;
  registry: Registry;
  readiness: () => Promise<Readiness>;
}

/** Reports this process every 15 seconds, more often while it is not ready, until it stops. See `createHealth`. */
export async function startHeartbeat(options: Options): Promise<void> {
  const { processName: name, config, lifecycle, log, registry, readiness } = options;
  const redis = options.redis ?? (await connectRedis({ url: config.REDIS_URL, kind: 'cache', log }));
  if (!options.redis) lifecycle.onStop('redis of the heartbeat', () => redis.close());
  const health = createHealth(redis);
  const host = hostname();
  const id = `${name}@${host}:${process.pid}`;
  const identity = { name, host, startedAt: Date.now() };
  const requests = createTraffic(registry, REQUESTS);
  const jobs = createTraffic(registry, JOBS);

  const stop = new AbortController();
  const { signal } = stop;
  /** The write in progress. */
  let reported: Promise<void> | undefined;

  async function beat(): Promise<boolean> {
    const { ready, stopping, checks } = await readiness();
    const report: ProcessReport = {
      ...{ ...identity, ready, stopping, checks, seenAt: Date.now() },
      ...{ requests: await requests(), jobs: await jobs() },
    };
    if (signal.aborted) return ready;
    // The connection logs outages.
    reported = health.report(id, report).catch(() => undefined);
    await reported;
    return ready;
  }

  const run = async () => {
    while (!signal.aborted) {
      const isReady = await beat();
      await delay(isReady ? EVERY_MS : UNTIL_READY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  void run();
  lifecycle.onStop('heartbeat', async () => {
    stop.abort();
    // Does not wait for checks of unavailable backends.
    await reported;
    await health.remove(id).catch(() => undefined);
  });
}
