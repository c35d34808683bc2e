import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { eventually } from '../../testing/src/eventually.js';
import { startCuttableProxy } from '../../testing/src/cuttable-proxy.js';
import { connectRedis, redisErrors } from '../src/index.js';
import type { RedisConnection, RedisKind } from '../src/index.js';

const redisUrl = new URL(process.env.REDIS_URL ?? '');
const proxy = await startCuttableProxy(redisUrl);
afterAll(() => proxy.close());
beforeEach(() => proxy.mend());

const url = `redis://127.0.0.1:${proxy.port}`;
async function connected(kind: RedisKind, work: (redis: RedisConnection) => Promise<void>, log = silentLogger()) {
  const redis = await connectRedis({ url, kind, log });
  try {
    await work(redis);
  } finally {
    await redis.close();
  }
}
const key = `test:${process.pid}:${Date.now()}`;

const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A logger and the messages it received. */
function recordingLogger() {
  const messages: string[] = [];
  const log = silentLogger();
  log.info = (message: unknown) => void messages.push(String(message));
  log.warn = (_info: unknown, message?: string) => void messages.push(String(message));
  return { log, messages };
}

describe.each(['cache', 'producer'] as const)('a %s connection', (kind) => {
  it('opens without a server, fails as unavailable at once, and works once the server is available', async () => {
    proxy.cut();
    await connected(kind, async (redis) => {
      expect(redisErrors(await failureOf(redis.client.get(key)))).toMatchObject({ status: 503 });
      expect(redisErrors(await failureOf(redis.ping()))).toMatchObject({ status: 503 });

      proxy.mend();
      await eventually(() => redis.ping());
      expect(await redis.client.get(key)).toBeNull();
    });
  });

  it('fails commands that were in flight when the server became unavailable', async () => {
    await connected(kind, async (redis) => {
      const blocked = failureOf(redis.client.blpop(key, 30));
      proxy.cut();
      expect(redisErrors(await blocked)).toMatchObject({ status: 503 });
    });
  });

  it('is replaced when a ping gets no response', async () => {
    await connected(kind, async (redis) => {
      proxy.freeze();
      expect(redisErrors(await failureOf(redis.ping()))).toMatchObject({ status: 503 });
      await eventually(() => redis.ping());
    });
  });

  it('does not wait long for a response', async () => {
    await connected(kind, async (redis) => {
      expect(redisErrors(await failureOf(redis.client.blpop(key, 30)))).toMatchObject({ status: 503 });
    });
  });
});

describe('a worker connection', () => {
  it('queues commands until the server is available', async () => {
    proxy.cut();
    await connected('worker', async (redis) => {
      expect(redisErrors(await failureOf(redis.ping()))).toMatchObject({ status: 503 });
      const reading = redis.client.get(key);
      proxy.mend();
      expect(await reading).toBeNull();
    });
  });
});

it.each(['cache', 'producer', 'worker'] as const)('opens a %s connection to an unknown address', async (kind) => {
  const { log, messages } = recordingLogger();
  const redis = await connectRedis({ url: 'redis://nowhere.invalid:6379', kind, log });
  try {
    expect(redisErrors(await failureOf(redis.ping()))).toMatchObject({ status: 503 });
    expect(messages).toEqual(['redis is unavailable']);
  } finally {
    await redis.close();
  }
});

describe('an outage', () => {
  it('is logged once when it starts and once when it ends', async () => {
    const { log, messages } = recordingLogger();
    await connected(
      'cache',
      async (redis) => {
        for (const round of [1, 2]) {
          proxy.cut();
          const attempts = proxy.connectionCount();
          await eventually(async () => expect(proxy.connectionCount()).toBeGreaterThan(attempts + 2));
          expect(messages).toHaveLength(round * 2 - 1);
          proxy.mend();
          await eventually(() => redis.ping());
          expect(messages).toHaveLength(round * 2);
        }
        expect(messages.slice(0, 2)).toEqual(['redis is unavailable', 'redis recovered']);
      },
      log,
    );
  });
});

describe('redisErrors', () => {
  it('ignores errors of the command itself', async () => {
    await connected('cache', async (redis) => {
      await redis.client.set(key, 'text', 'EX', 10);
      const error = await failureOf(redis.client.lpush(key, 'x'));
      expect(error).toBeInstanceOf(Error);
      expect(redisErrors(error)).toBeUndefined();
    });
  });
});
