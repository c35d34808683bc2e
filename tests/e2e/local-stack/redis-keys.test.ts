import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from '../support/people.js';
import { send } from '../support/platform.js';
import { repositoryFile } from '../support/repository.js';
import { fillNamespace, grant } from '../support/resources.js';

const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

interface DocumentedKey {
  pattern: RegExp;
  expires: boolean;
}

/** The table of keys in docs/operations.md. */
function documentedKeys(): DocumentedKey[] {
  const docs = readFileSync(repositoryFile('docs/operations.md'), 'utf8');
  const section = docs.split(/^## /m).find((text) => text.startsWith('Keys in Redis'))!;
  return [...section.matchAll(/^\| `([^`]+)` +\|[^|]+\| (.+?) +\|$/gm)].map(([, key, end]) => {
    const parts = key!.split(/<\w+>/).map((text) => text.replaceAll(/[{}.]/g, '\\$&'));
    return { pattern: new RegExp(`^${parts.join('[^:]+')}$`), expires: end!.startsWith('expires') };
  });
}

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

  it('every key in Redis is documented, and expires unless its owner removes it', async () => {
    const guest = await enter();
    await grant(owner, guest, { namespace, irn: 'filesvc:file:*', actions: ['READ'] });
    const query = { nsfilter: namespace };
    await send('GET', '/filesvc/api/v1/files', { token: guest.token, query });
    const runs = `/datasourcesvc/api/v1/orchestrators`;
    const { body } = await send('GET', runs, { token: owner.token, query });
    expect((await send('POST', `${runs}/${body._list[0].id}/run`, { token: owner.token, query })).status).toBe(200);

    const known = documentedKeys();
    expect(known.length).toBeGreaterThan(5);
    await eventually(async () => {
      for (const key of await redis.keys('*')) {
        const fits = known.filter(({ pattern }) => pattern.test(key));
        const ttl = await redis.ttl(key);
        // A key that has expired in between has a TTL of -2.
        expect({ key, isDocumented: fits.length > 0 }).toEqual({ key, isDocumented: true });
        if (fits.every(({ expires }) => expires)) expect({ key, expires: ttl !== -1 }).toEqual({ key, expires: true });
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
