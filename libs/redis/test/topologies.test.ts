import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { startRedisTopology } from '../../../tools/stack/src/backends/redis-topology.js';
import type { RedisTopology } from '../../../tools/stack/src/backends/redis-topology.js';
import { eventually } from '../../testing/src/eventually.js';
import { connectRedis, createCommandSender, deleteKeys, readKeys, redisErrors } from '../src/index.js';
import type { RedisConnection } from '../src/index.js';

// A failover takes long on a busy machine.
const TIMEOUT_MS = 300_000;

const PATIENCE = { timeoutMs: 120_000 };
/** In different slots of a cluster. */
const KEYS = ['a', 'b', 'c', 'd', 'e'];

describe.each(['sentinel', 'cluster'] as const)('redis with a %s', (kind) => {
  let topology: RedisTopology;
  let redis: RedisConnection;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-redis-'));
    topology = await startRedisTopology(kind, dataDir);
    redis = await connectRedis({ url: topology.url, kind: 'cache', log: silentLogger() });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await redis.close();
    await topology.stop();
    await rm(dataDir, { recursive: true });
  }, TIMEOUT_MS);

  it('reads and deletes keys of several slots', async () => {
    await Promise.all(KEYS.map((key) => redis.client.set(key, key)));
    await deleteKeys(redis.client, ['b', 'd']);
    await expect(readKeys(redis.client, [...KEYS, 'a'])).resolves.toEqual(['a', null, 'c', null, 'e', 'a']);
  });

  it('runs scripts on servers that have not loaded them', async () => {
    const send = createCommandSender(redis.client);
    const id = await send('SCRIPT', 'LOAD', 'return KEYS[1]');
    for (const key of KEYS) await expect(send('EVALSHA', String(id), 1, key)).resolves.toBe(key);
  });

  it('reconnects if it is told to do so again while it connects', async () => {
    redis.client.disconnect(true);
    await once(redis.client, 'connecting');
    redis.client.disconnect(true);
    await eventually(() => redis.ping());
  });

  it(
    'keeps durable writes in a failover, and identifies the new server',
    async () => {
      await redis.client.set('mark', 'old');
      const before = redis.serverOf('mark');
      await redis.durably((client) => client.set('mark', 'new'));
      expect(redis.serverOf('mark')).toBe(before);
      const restart = await topology.failOver('mark');
      await eventually(async () => expect(await redis.client.get('mark')).toBe('new'), PATIENCE);
      expect(redis.serverOf('mark')).not.toBe(before);
      await restart();
      await eventually(() => redis.durably((client) => client.set('mark', 'newest')), PATIENCE);
    },
    TIMEOUT_MS,
  );

  it(
    'rejects durable writes as unavailable without a replica',
    async () => {
      const restart = await topology.killReplicas();
      const failure = await redis
        .durably((client) => client.set('mark', 'unconfirmed'))
        .catch((error: unknown) => error);
      expect(redisErrors(failure)).toMatchObject({ status: 503 });
      await restart();
      await eventually(() => redis.durably((client) => client.set('mark', 'confirmed')), PATIENCE);
    },
    TIMEOUT_MS,
  );
});
