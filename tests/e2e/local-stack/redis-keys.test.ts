import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from '../support/people.js';
import { send } from '../support/platform.js';
import { fillNamespace, grant } from '../support/resources.js';

const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

/** Keys that expire by themselves. */
const EXPIRING = [
  /^access:(epoch|notbefore):\w+:[^:]+$/,
  /^passport:version:\w+:[^:]+$/,
  /^rate:\w+:\w+:[^:]+$/,
  /^signin:(pair|wait|account|address|own):[^:]+$/,
  /^reset:(account|address):[^:]+$/,
  /^\{dtplatform\.[^}]+\}:[^:]+:stalled-check$/,
  /^\{dtplatform\.[^}]+\}:[^:]+:[^:]+:lock$/,
];
/** Keys that their owner removes: one per service, the heartbeats of queues and processes, and those of BullMQ for a queue and its jobs. */
const OWNED = [
  /^\{dtplatform\.processes\}$/,
  /^\{dtplatform\.(outbox|queues)\}:[^:]+$/,
  /^\{dtplatform\.[^}]+\}:[^:]+:[^:]+$/,
];

describe('after typical and hostile requests', () => {
  let redis: Redis;
  let owner: Person;
  let namespace: string;

  beforeAll(async () => {
    redis = new Redis(process.env.E2E_REDIS_URL!);
    owner = await enter();
    namespace = await openWorkspace(owner);
    await fillNamespace(owner, namespace);
  });
  afterAll(() => redis.quit());

  const post = (path: string, json: unknown) => send('POST', path, { token: owner.token, json });

  it('every key in Redis expires or has an owner that removes it', async () => {
    const guest = await enter();
    await grant(owner, guest, { namespace, irn: 'filesvc:file:*', actions: ['READ'] });
    const query = { nsfilter: namespace };
    await send('GET', '/filesvc/api/v1/files', { token: guest.token, query });
    const runs = `/datasourcesvc/api/v1/orchestrators`;
    const { body } = await send('GET', runs, { token: owner.token, query });
    expect((await send('POST', `${runs}/${body._list[0].id}/run`, { token: owner.token, query })).status).toBe(200);

    await eventually(async () => {
      for (const key of await redis.keys('*')) {
        const expires = EXPIRING.some((pattern) => pattern.test(key));
        expect({ key, isKnown: expires || OWNED.some((pattern) => pattern.test(key)) }).toEqual({ key, isKnown: true });
        // A key that has expired in between has a TTL of -2.
        if (expires) expect({ key, expires: (await redis.ttl(key)) !== -1 }).toEqual({ key, expires: true });
      }
    });
  });

  it('every job in Redis is listed by its queue, which removes it', async () => {
    await eventually(async () => {
      for (const key of await redis.keys('{dtplatform.*:*')) {
        if ((await redis.type(key)) !== 'hash' || key.endsWith(':meta')) continue;
        const queue = key.slice(0, key.lastIndexOf(':'));
        const job = key.slice(key.lastIndexOf(':') + 1);
        const [waiting, active] = [await redis.lpos(`${queue}:wait`, job), await redis.lpos(`${queue}:active`, job)];
        const sets = await Promise.all(
          ['delayed', 'completed', 'failed'].map((state) => redis.zscore(`${queue}:${state}`, job)),
        );
        expect({ key, isListed: [waiting, active, ...sets].some((place) => place !== null) }).toEqual({
          key,
          isListed: true,
        });
      }
    });
  });

  it('no key names subjects and namespaces that do not exist', async () => {
    const unique = randomUUID();
    const subjects = ['user', 'usergroup', 'permprofile', 'app'].map((_type) => ({ _type, _id: `nobody-${unique}` }));
    const questions = subjects.map((_user) => ({
      _user,
      _action: 'READ',
      _irn: 'filesvc:file:1',
      _namespace: namespace,
    }));
    expect((await post(`${PERMISSIONS}/check`, questions)).status).toBe(200);
    const query = { nsfilter: `nowhere-${unique}` };
    for (const path of [
      '/filesvc/api/v1/files',
      '/itemsvc/api/v1/nameduseritems',
      '/datasourcesvc/api/v1/orchestrators',
    ])
      await send('GET', path, { token: owner.token, query });
    const entries = subjects.map((_user) => ({
      _namespace: `nowhere-${unique}`,
      _resourceDesc: { _irn: '*:*:*' },
      _user,
      _actions: ['READ'],
    }));
    expect((await send('PUT', PERMISSIONS, { token: owner.token, json: entries })).body._list._success).toEqual([]);
    expect(await redis.keys(`*${unique}*`)).toEqual([]);
  });
});
