import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { mongo } from '../src/backends/mongo.js';
import { redis } from '../src/backends/redis.js';
import { acquire } from '../src/backends/sources/acquire.js';
import { silentReport } from '../src/index.js';
import { tempDir } from './fixtures/temp-dir.js';

const engine = fileURLToPath(new URL('fixtures/engine', import.meta.url));
const platform = `${process.platform}-${process.arch}`;

async function contextWith(env: NodeJS.ProcessEnv) {
  const dir = await tempDir();
  const signal = new AbortController().signal;
  return { dataDir: dir, cacheDir: dir, report: silentReport, env: { ASKED: `${dir}/asked`, ...env }, signal };
}

describe('a backend whose package has no build for this platform', () => {
  it('runs in a container, even if a package wrote its data', async () => {
    const spec = { ...mongo, packages: {}, container: { ...mongo.container, image: 'here:1' } };
    const { description } = await acquire(spec, 'package', await contextWith({ PATH: engine }));
    expect(description).toBe('docker image here:1');
  });

  it.each([
    [
      'MongoDB',
      mongo,
      'install MongoDB 5 or newer so that `mongod` is on the PATH, or set MONGO_URL to a replica set of yours',
    ],
    [
      'Redis',
      redis,
      'install Redis 6.2 or newer so that `redis-server` is on the PATH, or set REDIS_URL to a server of yours',
    ],
  ])('says in one sentence what to do if there is no other source: %s', async (_title, spec, rest) => {
    const start = acquire({ ...spec, packages: {} }, undefined, await contextWith({ PATH: await tempDir() }));
    const message = await start.then(
      () => 'it started',
      (error: unknown) => (error as Error).message,
    );
    expect(message.split('\n').at(-1)).toBe(`${spec.title} has no package for ${platform}: start Docker, ${rest}.`);
  });
});
