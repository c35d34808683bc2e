import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accessKeys } from '@dtplatform/contracts';
import { allows, createGrantCache, remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken } from '@dtplatform/testing';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

type Instance = Pick<TestApp, 'api' | 'deps'>;

let here: TestApp;
let there: Instance;
let platform: string;
let namespace: string;
let benId: string;
beforeAll(async () => {
  here = await startApp();
  there = await here.startInstance();
  platform = await here.as('platform', 'trusted');
});
afterAll(() => here.stop());
beforeEach(() => {
  [namespace, benId] = [`tower_${randomUUID()}`, `ben-${randomUUID()}`];
});

const grant = async (...actions: string[]) => {
  const entries = [entryFor(benId, namespace, 'filesvc:file:*', ...actions)];
  const response = await here.api.put(PERMISSIONS).set({ authorization: platform }).send(entries).expect(200);
  return response.body._list._success[0]._id as string;
};
const mayRead = async (app: Instance) => {
  const question = {
    _user: { _type: 'user', _id: benId },
    _action: 'READ',
    _irn: 'filesvc:file:1',
    _namespace: namespace,
  };
  const response = await app.api
    .post(`${PERMISSIONS}/check`)
    .set({ authorization: platform })
    .send([question])
    .expect(200);
  return response.body._list[0]._allowed as boolean;
};
const revoke = (id: string) => here.api.delete(`${PERMISSIONS}/${id}`).set({ authorization: platform }).expect(204);

describe('another replica', () => {
  it('sees every grant and revocation before the request that made it completes', async () => {
    for (let n = 0; n < 15; n++) {
      const id = await grant('READ');
      expect([await mayRead(there), await mayRead(here)]).toEqual([true, true]);
      if (n % 2) await revoke(id);
      else await grant('EDIT');
      expect([await mayRead(there), await mayRead(here)]).toEqual([false, false]);
    }
  });

  it('rejects immediately after a revocation, even under constant checks', async () => {
    const id = await grant('READ');
    let revoked = false;
    let answersAfter = 0;
    const asking = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (answersAfter < 20) {
          const wasRevoked = revoked;
          const allowed = await mayRead(there);
          if (!wasRevoked) continue;
          answersAfter += 1;
          expect(allowed).toBe(false);
        }
      }),
    );
    await revoke(id);
    revoked = true;
    await asking;
  });

  it('trusts no cached grants after Redis lost its data', async () => {
    const id = await grant('READ');
    expect(await mayRead(there)).toBe(true);
    await revoke(id);
    await here.deps.redis.client.del(accessKeys.epoch({ _type: 'user', _id: benId }));
    expect(await mayRead(there)).toBe(false);
  });
});

describe('another service', () => {
  it('decides by the permissions of this service, and sees changes immediately', async () => {
    const client = createServiceClient({ baseUrl: here.url, token: fixedToken(platform) });
    const source = remoteGrants(client);
    const cache = createGrantCache({ redis: there.deps.redis.client, source });
    const mayEdit = async () => {
      const { lookup } = await cache.open({ _type: 'user', _id: benId });
      return allows(await lookup.grants(namespace), 'EDIT', 'filesvc:file:1');
    };
    try {
      expect(await mayEdit()).toBe(false);
      const _user = { _type: 'user' as const, _id: benId };
      await source.grant([
        { _namespace: namespace, _resourceDesc: { _irn: 'filesvc:file:1' }, _user, _actions: ['*'] },
      ]);
      expect(await mayEdit()).toBe(true);
      expect(await source.namespacesOf(_user)).toEqual([namespace]);
      const many = Array.from({ length: 1001 }, (_, n) => ({
        _namespace: namespace,
        _resourceDesc: { _irn: `filesvc:file:${n}` },
        _user,
        _actions: ['READ' as const],
      }));
      await source.grant(many);
      expect(await source.grantsOf(_user, namespace)).toHaveLength(1001);
      const unknown = {
        _namespace: namespace,
        _resourceDesc: { _irn: 'a:b:c' },
        _user: { ..._user, _id: 'unknown-1' },
        _actions: ['READ' as const],
      };
      await expect(source.grant([unknown])).rejects.toMatchObject({ status: 403 });
      const invalid = { ...unknown, _namespace: 'a\0b' };
      await expect(source.grant([invalid])).rejects.toMatchObject({ status: 403 });
      expect(await source.grantsOf(_user, 'a\0b')).toEqual([]);
    } finally {
      await client.close();
    }
  });
});
