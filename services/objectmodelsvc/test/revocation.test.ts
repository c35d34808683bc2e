import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accessKeys } from '@dtplatform/contracts';
import { allows, createGrantCache, remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken } from '@dtplatform/testing';
import { permissionClient } from './permission-client.js';
import { entryFor, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const here = await startApp();
const there = await here.startInstance();
const platform = await here.as('platform', 'trusted');
afterAll(() => here.stop());

let namespace: string;
let benId: string;
beforeEach(() => {
  [namespace, benId] = [`tower_${randomUUID()}`, `ben-${randomUUID()}`];
});

const { put, remove, may } = permissionClient(() => here);
const grant = async (...actions: string[]) =>
  (await put(platform, [entryFor(benId, namespace, 'filesvc:file:*', ...actions)]))._list._success[0]!._id;
const mayRead = (on: Pick<TestApp, 'api'>) => may(platform, benId, namespace, { on });
const revoke = (id: string) => remove(platform, id).expect(204);

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
      const entry = { _namespace: namespace, _resourceDesc: { _irn: 'filesvc:file:1' }, _user };
      await source.grant([{ ...entry, _actions: ['*'] }]);
      expect(await mayEdit()).toBe(true);
      expect(await source.namespacesOf(_user)).toEqual([namespace]);
      const _actions = ['READ' as const];
      const many = Array.from({ length: 1001 }, (_, n) => ({
        ...entry,
        _resourceDesc: { _irn: `filesvc:file:${n}` },
        _actions,
      }));
      await source.grant(many);
      expect(await source.grantsOf(_user, namespace)).toHaveLength(1001);
      const unknown = { ...entry, _user: { ..._user, _id: 'unknown-1' }, _actions };
      await expect(source.grant([unknown])).rejects.toMatchObject({ status: 403 });
      const invalid = { ...unknown, _namespace: 'a\0b' };
      await expect(source.grant([invalid])).rejects.toMatchObject({ status: 403 });
      expect(await source.grantsOf(_user, 'a\0b')).toEqual([]);
    } finally {
      await client.close();
    }
  });
});
