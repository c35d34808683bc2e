import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessKeys } from '@dtplatform/contracts';
import type { Grant, Subject } from '@dtplatform/contracts';
import { silentLogger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import { allows, createGrantCache, raiseEpochs } from '../src/index.js';
import type { GrantCache } from '../src/index.js';
import { eventually } from '../../testing/src/eventually.js';
import { entry, grantsInMemory } from './grants-in-memory.js';

const connect = () => connectRedis({ url: process.env.REDIS_URL!, kind: 'cache', log: silentLogger() });
const [redis, otherRedis] = [await connect(), await connect()];
afterAll(() => Promise.all([redis.close(), otherRedis.close()]));

describe('cached grants', () => {
  let table: ReturnType<typeof grantsInMemory>;
  let here: GrantCache;
  let there: GrantCache;
  let user: Subject;

  beforeEach(() => {
    user = { _type: 'user', _id: randomUUID() };
    table = grantsInMemory();
    here = createGrantCache({ redis, source: table.source });
    there = createGrantCache({ redis: otherRedis, source: table.source });
  });

  const mayRead = async (cache: GrantCache) => {
    const { lookup } = await cache.open(user);
    return allows(await lookup.grants('ns_1'), 'READ', 'filesvc:file:1');
  };
  const share = () => table.set([entry(user._id, 'ns_1', 'filesvc:file:*', 'READ')]);

  it('are loaded once while nothing changes', async () => {
    share();
    for (let n = 0; n < 5; n++) expect(await mayRead(here)).toBe(true);
    expect(table.reads).toEqual([`${user._id}/ns_1`]);
  });

  it('are loaded once for concurrent requests', async () => {
    share();
    const answers = await Promise.all(Array.from({ length: 50 }, () => mayRead(here)));
    expect(answers).toEqual(Array.from({ length: 50 }, () => true));
    expect(table.reads).toHaveLength(1);
  });

  it('are invalidated in every replica as soon as a write has raised the epoch', async () => {
    share();
    expect([await mayRead(here), await mayRead(there)]).toEqual([true, true]);
    for (let n = 0; n < 20; n++) {
      table.set([]);
      await raiseEpochs(redis, [user]);
      expect([await mayRead(here), await mayRead(there)]).toEqual([false, false]);
      share();
      await raiseEpochs(otherRedis, [user]);
      expect([await mayRead(there), await mayRead(here)]).toEqual([true, true]);
    }
  });

  it('of other subjects stay cached when one subject’s epoch is raised', async () => {
    const other: Subject = { _type: 'usergroup', _id: user._id };
    share();
    await mayRead(here);
    await raiseEpochs(redis, [other]);
    await mayRead(here);
    expect(table.reads).toHaveLength(1);
  });

  it('are not trusted once Redis has lost its data', async () => {
    share();
    expect([await mayRead(here), await mayRead(there)]).toEqual([true, true]);
    table.set([]);
    await redis.client.del(accessKeys.epoch(user));
    expect([await mayRead(here), await mayRead(there)]).toEqual([false, false]);
    share();
    await raiseEpochs(redis, [user]);
    await redis.client.del(accessKeys.epoch(user));
    expect(await Promise.all([mayRead(here), mayRead(there), mayRead(here)])).toEqual([true, true, true]);
    expect(await redis.client.get(accessKeys.epoch(user))).toEqual(expect.any(String));
  });

  it('are used for a subject that somebody else asks about, without setting an epoch for it', async () => {
    share();
    const mayReadByPeek = async () => {
      const lookup = await here.peek(user);
      return allows(await lookup.grants('ns_1'), 'READ', 'filesvc:file:1');
    };
    expect([await mayReadByPeek(), await mayReadByPeek()]).toEqual([true, true]);
    expect(await redis.client.exists(accessKeys.epoch(user))).toBe(0);
    expect(table.reads).toHaveLength(2);
    await mayRead(here);
    expect(await mayReadByPeek()).toBe(true);
    expect(table.reads).toHaveLength(3);
    table.set([]);
    await raiseEpochs(redis, [user]);
    expect(await mayReadByPeek()).toBe(false);
  });

  it('are loaded again from another connection: a failover may bring an old epoch back', async () => {
    share();
    expect(await mayRead(here)).toBe(true);
    table.set([]);
    expect(await mayRead(here)).toBe(true);
    redis.client.disconnect(true);
    await eventually(async () => expect(await mayRead(here)).toBe(false));
  });

  it('cost one Redis read for all concurrent requests, including their other keys', async () => {
    share();
    await mayRead(here);
    const mget = jest.spyOn(redis.client, 'mget');
    const opened = await Promise.all([
      here.open(user, ['nothing-here']),
      here.open(user, [accessKeys.epoch(user)]),
      here.open({ _type: 'app', _id: user._id }),
    ]);
    expect(mget).toHaveBeenCalledTimes(1);
    mget.mockRestore();
    expect(opened[0].more).toEqual([null]);
    expect(opened[1].more).toEqual([await redis.client.get(accessKeys.epoch(user))]);
  });

  it('that failed to load are loaded again', async () => {
    share();
    table.fail(new Error('objectmodelsvc is unavailable'));
    await expect(mayRead(here)).rejects.toThrow('unavailable');
    const { lookup } = await here.open(user);
    await expect(lookup.namespaces()).rejects.toThrow('unavailable');
    table.fail(undefined);
    expect(await mayRead(here)).toBe(true);
    expect(await (await here.open(user)).lookup.namespaces()).toEqual(['ns_1']);
  });

  it('are evicted, least recently used first, when they take too much memory, and loaded again', async () => {
    const many = Array.from({ length: 15_000 }, (_, n): Grant => {
      return { _irn: `itemsvc:nameduseritem:${n}`, _criteria: { _userType: 'door' }, _actions: ['READ'] };
    });
    const loaded: string[] = [];
    const grantsOf = async (_subject: Subject, namespace: string) => {
      loaded.push(namespace);
      return namespace === 'ns_small' ? [] : many;
    };
    const { lookup } = await createGrantCache({ redis, source: { ...table.source, grantsOf } }).open(user);
    const fields = { _userType: 'door' };
    for (const namespace of ['ns_small', 'ns_1', 'ns_2', 'ns_3', 'ns_1', 'ns_4', 'ns_1', 'ns_2']) {
      const mayOpen = allows(await lookup.grants(namespace), 'READ', 'itemsvc:nameduseritem:7', { fields });
      expect(mayOpen).toBe(namespace !== 'ns_small');
    }
    expect(loaded).toEqual(['ns_small', 'ns_1', 'ns_2', 'ns_3', 'ns_4', 'ns_2']);
  });
});
