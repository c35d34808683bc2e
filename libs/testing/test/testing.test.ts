import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createVerifier } from '@dtplatform/jwt';
import type { PrincipalKind } from '@dtplatform/jwt';
import { silentLogger } from '@dtplatform/logging';
import { createGrantCache } from '@dtplatform/permissions';
import { connectRedis } from '@dtplatform/redis';
import {
  createGrantTable,
  createTestTokens,
  eventually,
  TEST_AUDIENCE,
  TEST_ISSUER,
  testEnvironment,
} from '../src/index.js';

describe('eventually', () => {
  it('returns the result of the check as soon as it does not throw', async () => {
    let calls = 0;
    const check = () => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return 'done';
    };
    expect(await eventually(check, { everyMs: 1 })).toBe('done');
    expect(calls).toBe(3);
  });

  it('fails with the last error after the timeout', async () => {
    let calls = 0;
    const check = () => Promise.reject(new Error(`call ${++calls}`));
    await expect(eventually(check, { timeoutMs: 500, everyMs: 5 })).rejects.toThrow(/^call \d+$/);
    expect(calls).toBeGreaterThan(1);
  });
});

describe('tokens of a test', () => {
  it.each<PrincipalKind>(['user', 'admin', 'app', 'trusted'])(
    'are valid tokens of a real %s for the verifier',
    async (kind) => {
      const tokens = await createTestTokens();
      const verify = createVerifier({ issuer: TEST_ISSUER, audience: TEST_AUDIENCE, keys: tokens.keys });
      const token = await tokens.issue({ kind, id: 'me', appId: 'my-app', grantId: 'my-grant' });
      expect(await verify(token)).toMatchObject({ kind, id: 'me', appId: 'my-app', grantId: 'my-grant' });
    },
  );

  it('of another test are rejected', async () => {
    const [one, other] = await Promise.all([createTestTokens(), createTestTokens()]);
    const verify = createVerifier({ issuer: TEST_ISSUER, audience: TEST_AUDIENCE, keys: one.keys });
    await expect(verify(await other.issue({ id: 'me' }))).rejects.toMatchObject({ status: 401 });
    await expect(verify(await one.issue({ id: 'me', expiresInSec: -1 }))).rejects.toMatchObject({ status: 401 });
  });
});

describe('environment of a test', () => {
  it('has a separate database and bucket each time', () => {
    const [one, other] = [testEnvironment('svc'), testEnvironment('svc', { MORE: '1' })];
    expect(one.MONGO_DB).not.toBe(other.MONGO_DB);
    expect(one.S3_BUCKET).not.toBe(other.S3_BUCKET);
    expect(other.MORE).toBe('1');
    expect(one.MONGO_URL).toBe(process.env.MONGO_URL);
  });

  it('reports a missing backend', () => {
    const { S3_ENDPOINT: endpoint } = process.env;
    delete process.env.S3_ENDPOINT;
    try {
      expect(() => testEnvironment('svc')).toThrow(/^S3_ENDPOINT is not set/);
    } finally {
      process.env.S3_ENDPOINT = endpoint;
    }
  });
});

const redis = await connectRedis({ url: process.env.REDIS_URL!, kind: 'cache', log: silentLogger() });
afterAll(() => redis.close());

describe('grant table', () => {
  it('updates every cache immediately when it grants and revokes', async () => {
    const table = createGrantTable(redis);
    const cache = createGrantCache({ redis, source: table });
    const _id = randomUUID();
    const namespaces = async () => (await cache.open({ _type: 'user', _id })).lookup.namespaces();
    expect(await namespaces()).toEqual([]);
    await table.allow(_id, 'ns_1', 'filesvc:file:*', ['READ']);
    expect(await namespaces()).toEqual(['ns_1']);
    await table.grant([
      { _namespace: 'ns_2', _resourceDesc: { _irn: 'a:b:c' }, _user: { _type: 'user', _id }, _actions: ['*'] },
    ]);
    expect(await namespaces()).toEqual(['ns_1', 'ns_2']);
    await table.revoke(_id, 'ns_1');
    expect(await namespaces()).toEqual(['ns_2']);
    expect(await table.grantsOf({ _type: 'user', _id }, 'ns_2')).toEqual([{ _irn: 'a:b:c', _actions: ['*'] }]);
    expect(await table.grantsOf({ _type: 'app', _id }, 'ns_2')).toEqual([]);
  });
});
