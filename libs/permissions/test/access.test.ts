import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Principal } from '@dtplatform/jwt';
import { silentLogger } from '@dtplatform/logging';
import { connectRedis, redisErrors } from '@dtplatform/redis';
import { startCuttableProxy } from '../../testing/src/cuttable-proxy.js';
import {
  createGrantCache,
  createPermissions,
  permit,
  permitCreate,
  raiseEpochs,
  rejectTokens,
  subjectOf,
} from '../src/index.js';
import { entry, grantsInMemory, principal } from './grants-in-memory.js';

const redis = await connectRedis({ url: process.env.REDIS_URL!, kind: 'cache', log: silentLogger() });
afterAll(() => redis.close());
let table: ReturnType<typeof grantsInMemory>;
let user: Principal;
beforeEach(() => {
  table = grantsInMemory();
  user = principal('user');
});

const open = (who: Principal, client = redis) =>
  createPermissions({ cache: createGrantCache({ redis: client, source: table.source }), source: table.source })(who);
const file = (id: string, ..._namespaces: string[]) => ({ _irn: `filesvc:file:${id}`, _namespaces });

describe('a caller', () => {
  it('is a subject of the type that matches its kind', () => {
    expect(subjectOf(principal('user', { id: 'a' }))).toEqual({ _type: 'user', _id: 'a' });
    expect(subjectOf(principal('admin', { id: 'a' }))).toEqual({ _type: 'user', _id: 'a' });
    expect(subjectOf(principal('app', { id: 'a' }))).toEqual({ _type: 'app', _id: 'a' });
    expect(subjectOf(principal('trusted', { id: 'a' }))).toEqual({ _type: 'app', _id: 'a' });
    expect(subjectOf(principal('profile', { id: 'a' }))).toEqual({ _type: 'permprofile', _id: 'a' });
  });

  it('may do nothing without a grant, not even as an administrator or an app', async () => {
    for (const kind of ['user', 'admin', 'app'] as const) {
      const access = await open(principal(kind));
      expect(await access.may('READ', 'filesvc:file:1', ['ns_1'])).toBe(false);
      expect(await access.namespaces()).toEqual([]);
      expect(await access.scope('READ', 'filesvc:file')).toEqual({ all: [], some: [] });
    }
  });

  it('may do everything as a trusted client, without reading grants', async () => {
    const access = await open(principal('trusted'));
    expect(await access.may('*', '*:*:*', ['ns_1'])).toBe(true);
    expect(await access.namespaces()).toBe('all');
    expect(await access.scope('READ', 'filesvc:file')).toBe('everything');
    expect(await access.scope('READ', 'filesvc:file', ['ns_1'])).toEqual({ all: ['ns_1'], some: [] });
    await access.requireIn('CREATE', 'filesvc:file:*', ['ns_1', 'ns_2']);
    await access.own(file('1', 'ns_1'));
    expect(table.reads).toEqual([]);
    expect(table.rows()).toEqual([]);
  });

  it('may do what is granted in any namespace of a resource', async () => {
    table.set([entry(user.id, 'ns_2', 'filesvc:file:1', 'READ')]);
    const access = await open(user);
    expect(await access.may('READ', 'filesvc:file:1', ['ns_1', 'ns_2'])).toBe(true);
    expect(await access.may('READ', 'filesvc:file:1', ['ns_1'])).toBe(false);
    expect(await access.may('READ', 'filesvc:file:1', [])).toBe(false);
    expect(await access.may('EDIT', 'filesvc:file:1', ['ns_2'])).toBe(false);
  });

  it('sees all resources of a type in some namespaces and single ones in others', async () => {
    table.set([
      entry(user.id, 'ns_1', 'filesvc:*:*', 'READ'),
      entry(user.id, 'ns_2', 'filesvc:file:7', 'READ', 'EDIT'),
      entry(user.id, 'ns_2', '*:*:8', '*'),
      entry(user.id, 'ns_3', 'itemsvc:nameduseritem:*', 'READ'),
    ]);
    const access = await open(user);
    expect((await access.namespaces()) as string[]).toEqual(['ns_1', 'ns_2', 'ns_3']);
    const expected = { all: ['ns_1'], some: [{ namespace: 'ns_2', ids: ['7', '8'] }] };
    expect(await access.scope('READ', 'filesvc:file')).toEqual(expected);
    expect(await access.scope('READ', 'filesvc:file', ['ns_1', 'ns_3', 'ns_9'])).toEqual({ all: ['ns_1'], some: [] });
    expect(await access.scope('DELETE', 'filesvc:file')).toEqual({
      all: [],
      some: [{ namespace: 'ns_2', ids: ['8'] }],
    });
  });
});

describe('require', () => {
  it('fails with a 404 if the caller may not read, and with a 403 if it may read but not do this', async () => {
    table.set([entry(user.id, 'ns_1', 'filesvc:file:1', 'READ'), entry(user.id, 'ns_1', 'filesvc:file:2', 'EDIT')]);
    const access = await open(user);
    const one = file('1', 'ns_1');
    expect(await access.require('READ', one)).toBe(one);
    const message = 'The caller needs EDIT on filesvc:file in the namespace ns_1.';
    await expect(access.require('EDIT', one)).rejects.toMatchObject({ status: 403, message });
    await expect(access.require('EDIT', file('2', 'ns_1'))).rejects.toMatchObject({ status: 404 });
    await expect(access.require('READ', file('3', 'ns_1'))).rejects.toMatchObject({ status: 404 });
    await expect(access.require('READ', undefined)).rejects.toMatchObject({ status: 404 });
  });

  it('applies in each of several namespaces', async () => {
    table.set([entry(user.id, 'ns_1', '*:*:*', 'CREATE')]);
    const access = await open(user);
    await access.requireIn('CREATE', 'filesvc:file:*', ['ns_1']);
    await expect(access.requireIn('CREATE', 'filesvc:file:*', ['ns_1', 'ns_2'])).rejects.toMatchObject({
      status: 403,
      message: 'The caller needs CREATE on filesvc:file in a namespace of the call or of the resource.',
    });
  });

  it('names the missing permission only with namespaces in which the caller has grants', async () => {
    const long = `ns_${'x'.repeat(100)}`;
    table.set(['ns_1', 'ns_2', long].map((namespace) => entry(user.id, namespace, 'filesvc:file:1', 'READ')));
    const access = await open(user);
    const { message } = await access.refusal('DELETE', 'filesvc:file:1', ['secret_1', 'ns_2', long]);
    const names = `ns_2 and ${long.slice(0, 64)}`;
    expect(message).toBe(`The caller needs DELETE on filesvc:file in one of the namespaces ${names}.`);
    await expect(access.requireIn('DELETE', 'filesvc:file:1', ['ns_2', long])).rejects.toMatchObject({
      message: `The caller needs DELETE on filesvc:file in the namespaces ${names}.`,
    });
  });

  it('loads the grants of eight of many namespaces at a time', async () => {
    const namespaces = Array.from({ length: 100 }, (_, n) => `ns_${n}`);
    table.set(namespaces.map((namespace) => entry(user.id, namespace, '*:*:*', 'READ', 'CREATE')));
    const grantsOf = table.source.grantsOf.bind(table.source);
    let running = 0;
    let most = 0;
    table.source.grantsOf = async (...query) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return grantsOf(...query);
    };
    const access = await open(user);
    const [scope] = await Promise.all([
      access.scope('READ', 'filesvc:file'),
      access.requireIn('CREATE', 'filesvc:file:*', namespaces),
      access.requireIn('READ', 'filesvc:file:1', namespaces),
    ]);
    expect(scope).toEqual({ all: namespaces, some: [] });
    expect(most).toBe(8);
  });

  it('runs before the handler of a route', async () => {
    table.set([entry(user.id, 'ns_1', 'filesvc:file:*', 'READ', 'CREATE')]);
    const access = await open(user);
    const found = permit('READ', 'filesvc:file', { find: async (id: string) => file(id, 'ns_1') });
    expect(found.declares).toEqual({ rule: 'resource', action: 'READ', resource: 'filesvc:file' });
    expect(await found.check({ params: { id: '5' }, query: { nsfilter: 'ns_1' }, access })).toEqual(file('5', 'ns_1'));
    interface Creating {
      query: { nsfilter: string };
      body: string[];
      access: typeof access;
    }
    const create = permitCreate('filesvc:file', ({ body }: Creating) => [{ _namespaces: body }]);
    const query = { nsfilter: 'ns_1' };
    await create.check({ query, body: ['ns_1', 'ns_1'], access });
    await expect(create.check({ query, body: ['ns_1', 'ns_2'], access })).rejects.toMatchObject({ status: 403 });
  });
});

describe('before the body of a request is read', () => {
  it('a route rejects what no body could permit', async () => {
    table.set([entry(user.id, 'ns_1', 'filesvc:file:*', 'READ', 'CREATE')]);
    const access = await open(user);
    const edit = permit('EDIT', 'filesvc:file', { find: async (id: string) => file(id, 'ns_1') });
    const inNamespace = (nsfilter: string) => ({ params: { id: '5' }, query: { nsfilter }, access });
    await expect(edit.beforeBody!(inNamespace('ns_1'))).rejects.toMatchObject({ status: 403 });
    const create = permitCreate('filesvc:file', () => []);
    await create.beforeBody!(inNamespace('ns_1'));
    await expect(create.beforeBody!(inNamespace('ns_2'))).rejects.toMatchObject({ status: 403 });
  });
});

describe('the creator of a resource', () => {
  it('gets all permissions on it, in each of its namespaces', async () => {
    await (await open(user)).own(file('1', 'ns_1', 'ns_2'));
    expect(table.rows()).toEqual(['ns_1', 'ns_2'].map((namespace) => entry(user.id, namespace, 'filesvc:file:1', '*')));
  });

  it('of several resources gets all permissions in one write', async () => {
    const access = await open(user);
    const grant = jest.spyOn(table.source, 'grant');
    await access.own(file('1', 'ns_1'), file('2', 'ns_1', 'ns_2'));
    expect(grant).toHaveBeenCalledTimes(1);
    expect(table.rows()).toHaveLength(3);
  });

  it('gets no further grant where it has all permissions already', async () => {
    table.set([entry(user.id, 'ns_1', '*:*:*', '*')]);
    await (await open(user)).own(file('1', 'ns_1'));
    expect(table.rows()).toHaveLength(1);
  });
});

describe('revoked tokens', () => {
  it.each([
    ['subject', 'id', 4],
    ['app', 'appId', 4],
    ['app', 'actorId', 4],
    ['grant', 'grantId', 3600],
  ] as const)(
    'of the %s (%s) are rejected, even if the clock of their issuer is ahead; others are accepted',
    async (kind, field, aheadSec) => {
      const who = principal('user', { grantId: randomUUID(), actorId: randomUUID() });
      await open(who);
      await rejectTokens(redis, kind, who[field]!, 60);
      for (const laterSec of [-3600, 0, aheadSec]) {
        const skewed = { ...who, issuedAtSec: who.issuedAtSec + laterSec };
        await expect(open(skewed)).rejects.toMatchObject({ status: 401, message: 'The access token was revoked.' });
      }
      await open({ ...who, [field]: 'other' });
      if (kind !== 'grant') await open({ ...who, issuedAtSec: who.issuedAtSec + 60 });
    },
  );

  it('stay revoked for longer than they are valid on any clock', async () => {
    await rejectTokens(redis, 'subject', user.id, 60);
    const ttl = await redis.client.ttl(`access:notbefore:subject:${user.id}`);
    // Expired tokens are accepted for another 60 seconds.
    expect(ttl).toBeGreaterThan(60 + 60 + 2 * 5);
    expect(ttl).toBeLessThanOrEqual(60 + 120);
  });
});

describe('without Redis', () => {
  it('no decision is made: the error means an unavailable backend, and decisions resume when Redis recovers', async () => {
    const target = new URL(process.env.REDIS_URL!);
    const proxy = await startCuttableProxy(target);
    const connection = await connectRedis({
      url: `redis://127.0.0.1:${proxy.port}${target.pathname}`,
      kind: 'cache',
      log: silentLogger(),
    });
    try {
      const cache = createGrantCache({ redis: connection, source: table.source });
      const openHere = createPermissions({ cache, source: table.source });
      table.set([entry(user.id, 'ns_1', '*:*:*', '*')]);
      expect(await (await openHere(user)).may('READ', 'filesvc:file:1', ['ns_1'])).toBe(true);

      proxy.cut();
      const error: unknown = await openHere(user).catch((reason: unknown) => reason);
      expect(redisErrors(error)).toMatchObject({ status: 503 });
      await expect(raiseEpochs(connection, [subjectOf(user)])).rejects.toThrow();

      table.set([]);
      proxy.mend();
      await raiseEpochs(redis, [subjectOf(user)]);
      let access: Awaited<ReturnType<typeof openHere>> | undefined;
      while (!access) access = await openHere(user).catch(() => undefined);
      expect(await access.may('READ', 'filesvc:file:1', ['ns_1'])).toBe(false);
    } finally {
      await connection.close();
      await proxy.close();
    }
  });
});
