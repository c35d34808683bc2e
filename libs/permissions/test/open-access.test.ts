import { afterAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import { createGrantCache, createPermissions, rejectTokens } from '../src/index.js';
import { grantsInMemory, principal } from './grants-in-memory.js';

const connect = () => connectRedis({ url: process.env.REDIS_URL!, kind: 'cache', log: silentLogger() });
const [redis, other] = [await connect(), await connect()];
afterAll(() => Promise.all([redis.close(), other.close()]));

describe('access of callers', () => {
  /** Counts Redis reads. Their results are held back until `held` resolves. */
  function open() {
    let held: Promise<unknown> = Promise.resolve();
    const reads: string[][] = [];
    const mget = async (keys: string[]) => {
      const found = await redis.client.mget(keys);
      reads.push(keys);
      await held;
      return found;
    };
    const { source } = grantsInMemory();
    const cache = createGrantCache({
      redis: { ...redis, client: Object.assign(Object.create(redis.client) as typeof redis.client, { mget }) },
      source,
    });
    const hold = () => {
      let release = () => undefined as void;
      held = new Promise<void>((resolve) => (release = resolve));
      return release;
    };
    return { reads, hold, openAccess: createPermissions({ cache, source }) };
  }

  it('is read together for concurrent requests, and once per token', async () => {
    const { reads, openAccess } = open();
    const [olga, ben] = [principal('user'), principal('user')];
    const opened = await Promise.all([olga, ben, olga, olga].map((who) => openAccess(who)));
    expect(opened.map(({ principal }) => principal)).toEqual([olga, ben, olga, olga]);
    expect(reads).toHaveLength(1);
    expect(new Set(reads[0]).size).toBe(reads[0]!.length);
    await openAccess(olga);
    expect(reads).toHaveLength(2);
  });

  it('is read again for a request that arrives during a read, so that changes in between apply', async () => {
    const { reads, hold, openAccess } = open();
    const olga = principal('user');
    await openAccess(olga);
    const release = hold();
    const before = openAccess(olga);
    while (reads.length < 2) await new Promise(setImmediate);
    await rejectTokens(other, 'subject', olga.id, 60);
    const after = Promise.all([openAccess(olga).catch(String), openAccess(principal('user'))]);
    release();
    expect((await before).principal).toBe(olga);
    expect((await after)[0]).toContain('The access token was revoked.');
    expect(reads).toHaveLength(3);
  });

  it('fails for one caller alone', async () => {
    const { openAccess } = open();
    const [olga, ben] = [principal('user'), principal('user')];
    await rejectTokens(other, 'subject', olga.id, 60);
    const [refused, opened] = await Promise.allSettled([openAccess(olga), openAccess(ben)]);
    expect([refused.status, opened.status]).toEqual(['rejected', 'fulfilled']);
  });
});
