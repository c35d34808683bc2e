import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort } from '../src/ports.js';
import { silentReport, startBackends } from '../src/index.js';
import { readEverywhere, writeEverywhere } from './fixtures/keep-value.js';
import { until } from '../src/processes/until.js';
import { keepLines } from './fixtures/lines.js';
import { withoutBackends } from './fixtures/own-backends.js';
import { noProcessesWith, processesWith } from './fixtures/processes.js';
import { tempDir } from './fixtures/temp-dir.js';

const env = withoutBackends();

describe('startBackends', () => {
  it('starts all three, reports their addresses, and keeps their data when it must move to other ports', async () => {
    const dataDir = await tempDir();
    const { report, text } = keepLines();
    const first = await startBackends({ dataDir, report, env });
    for (const url of [first.mongoUrl, first.redisUrl, first.s3.endpoint])
      expect(text()).toContain(`serves on ${new URL(url).host}, from `);
    await writeEverywhere(first, 'kept');
    // Queues lose nothing.
    const redis = new Redis(first.redisUrl);
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await redis.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
    redis.disconnect();
    await first.stop();
    await noProcessesWith(dataDir);

    const ports = [first.mongoUrl, first.redisUrl, first.s3.endpoint].map((url) => Number(new URL(url).port));
    const others = ports.map((port) => createServer((socket) => socket.destroy()).listen(port, '127.0.0.1'));
    await Promise.all(others.map((other) => once(other, 'listening')));
    const second = await startBackends({ dataDir, report: silentReport, env });
    expect(second.mongoUrl).not.toBe(first.mongoUrl);
    expect(await readEverywhere(second)).toEqual({ mongo: 'kept', redis: 'kept', s3: 'kept' });
    await second.stop();
    await noProcessesWith(dataDir);
    for (const other of others) other.close();
  });

  it('rejects data that another process is using, and uses backends in the environment without stopping them', async () => {
    const dataDir = await tempDir();
    const own = await startBackends({ dataDir, report: silentReport, env });
    const again = startBackends({ dataDir, report: silentReport, env });
    await expect(again).rejects.toThrow(/in use by another start \(process \d+\)/);

    const { accessKey, secretKey, endpoint } = own.s3;
    const s3 = { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey };
    const named = { ...env, MONGO_URL: own.mongoUrl, REDIS_URL: own.redisUrl, ...s3 };
    const found = await startBackends({ dataDir: await tempDir(), report: silentReport, env: named });
    expect(found.mongoUrl).toBe(own.mongoUrl);
    await found.stop();
    await writeEverywhere(own, 'still there');
    await own.stop();
  });

  it.each([
    ['MONGO_URL', (nobody: string) => ({ MONGO_URL: `mongodb://${nobody}` })],
    ['REDIS_URL', (nobody: string) => ({ REDIS_URL: `redis://${nobody}` })],
    ['S3_ENDPOINT', (nobody: string) => ({ S3_ENDPOINT: `http://${nobody}`, S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' })],
  ])('reports when nothing responds at %s', async (setting, name) => {
    const named = name(`127.0.0.1:${await freePort()}`);
    const dataDir = await tempDir();
    const start = startBackends({ dataDir, report: silentReport, env: { ...env, ...named } });
    await expect(start).rejects.toThrow(new RegExp(`^${setting} is not usable: .*ECONNREFUSED`));
    await noProcessesWith(dataDir);
  });

  it('lists what was tried and the easiest fix when nothing works', async () => {
    const nothing = { PATH: await tempDir(), HOME: await tempDir() };
    const start = startBackends({ dataDir: await tempDir(), report: silentReport, env: nothing });
    const { message } = await start.then(
      () => Promise.reject(new Error('it started')),
      (error: unknown) => error as Error,
    );
    for (const line of [
      'No MongoDB is available. Tried:',
      '  - MONGO_URL: not set',
      '  - mongod on the PATH: not found',
      '  - docker: not found',
      '  - podman: not found',
      'no python3 on the PATH',
      'Easiest fix: start Docker, install MongoDB 5 or newer',
      'No Redis is available.',
      'No S3 server is available.',
      'no go on the PATH',
    ])
      expect(message).toContain(line);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const dataDir = await tempDir();
    const interrupted = new AbortController();
    const start = startBackends({ dataDir, report: silentReport, env, signal: interrupted.signal });
    void until('a backend', () => processesWith(dataDir).length > 0, { timeoutMs: 30_000 }).then(() =>
      interrupted.abort(new Error('Ctrl-C')),
    );
    await expect(start).rejects.toThrow('Ctrl-C');
    await noProcessesWith(dataDir);
  });
});
