import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl } from '../src/index.js';

describe('the URL of Redis', () => {
  it('names one server, with any characters in its credentials', () => {
    expect(parseRedisUrl('rediss://us%40er:p%2F%3A%20w@cache:6380/2?family=6')).toMatchObject({
      kind: 'standalone',
      hosts: [{ host: 'cache', port: 6380 }],
      ...{ username: 'us@er', password: 'p/: w', db: 2, family: 6, minReplicas: 0 },
      tls: { ca: undefined, cert: undefined, key: undefined },
    });
    expect(parseRedisUrl('redis://:secret@[::1]')).toMatchObject({
      hosts: [{ host: '::1', port: 6379 }],
      ...{ username: undefined, password: 'secret', db: 0, tls: undefined },
    });
  });

  it('may have a colon or an at sign in the password, which ends at the last at sign', () => {
    expect(parseRedisUrl('redis://:pa:s@s@cache')).toMatchObject({ password: 'pa:s@s', hosts: [{ host: 'cache' }] });
  });

  it('turns on TLS by naming a certificate', () => {
    const file = fileURLToPath(import.meta.url);
    expect(parseRedisUrl(`redis://cache?tlsCAFile=${encodeURIComponent(file)}`).tls?.ca).toContain('describe(');
  });

  it('names sentinels and their master', () => {
    const url = 'redis-sentinel://:pw@one,two:26380/1?sentinelMasterId=main&sentinelPassword=other&minReplicas=2';
    expect(parseRedisUrl(url)).toMatchObject({
      ...{ kind: 'sentinel', masterName: 'main', password: 'pw', sentinelPassword: 'other', db: 1, minReplicas: 2 },
      hosts: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 26_380 },
      ],
    });
  });

  it('names nodes of a cluster', () => {
    expect(parseRedisUrl('rediss-cluster://one,two')).toMatchObject({
      ...{ kind: 'cluster', minReplicas: 1, tls: {} },
      hosts: [
        { host: 'one', port: 6379 },
        { host: 'two', port: 6379 },
      ],
    });
  });

  it.each([
    ['redis://', 'no host'],
    ['redis://one,two', 'redis-sentinel://'],
    ['redis-sentinel://one', 'sentinelMasterId'],
    ['redis-cluster://one/1', 'no database other than 0'],
    ['redis://one/first', 'number of a database'],
    ['redis://one?family=5', 'family'],
    ['redis-cluster://one?minReplicas=some', 'minReplicas'],
  ])('is rejected: %s', (url, reason) => {
    expect(() => parseRedisUrl(url)).toThrow(reason);
  });
});
