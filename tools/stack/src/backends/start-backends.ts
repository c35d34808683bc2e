import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { allOrNone } from '../processes/all-or-none.js';
import { endLeftovers } from '../processes/leftovers.js';
import { lockState } from '../state/lock.js';
import type { BackendSpec } from './backend-spec.js';
import { mongo } from './mongo.js';
import { redis } from './redis.js';
import { s3Server } from './s3.js';
import { BackendUnavailable } from './sources/acquire.js';
import { startBackend, type StartedBackend } from './start-backend.js';
import type { BackendName, Backends, StartBackendsOptions } from './types.js';

interface Running extends Pick<StartedBackend<unknown>, 'stop' | 'kill' | 'freeze'> {
  restart(): Promise<void>;
}

/**
 * Starts MongoDB, Redis and S3 in parallel, or uses those in the environment. Rejects with everything that is
 * unavailable; then, and on abort, everything started is stopped. Throws StateInUse when another process uses the same
 * data.
 */
export async function startBackends(options: StartBackendsOptions): Promise<Backends> {
  const unlock = await lockState(options.dataDir);
  try {
    for (const name of await endLeftovers(options.dataDir)) options.report.warn(name, 'was left running; stopped it');
    const backends = await startBackendsInLockedState(options);
    return { ...backends, stop: () => backends.stop().finally(unlock) };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** For a caller that holds the lock on `dataDir` and has stopped leftover processes. */
export async function startBackendsInLockedState(options: StartBackendsOptions): Promise<Backends> {
  const { report, env = process.env, signal = new AbortController().signal } = options;
  const dataDir = path.resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const running = new Map<BackendName, Running>();
  const unavailable: BackendUnavailable[] = [];
  const stop = async () => void (await Promise.all([...running.values()].map((one) => one.stop())));

  const start =
    <Connection>(spec: BackendSpec<Connection>) =>
    async (either: AbortSignal) => {
      try {
        const started = await startBackend(spec, { dataDir, report, env, signal: either });
        const restart = async () => void (await start(spec)(signal));
        running.set(spec.name, { ...started, restart });
        return started;
      } catch (error) {
        if (!(error instanceof BackendUnavailable)) throw error;
        report.warn(spec.title, 'is not available');
        unavailable.push(error);
        return undefined;
      }
    };
  const [forMongo, forRedis, forS3] = await allOrNone([start(mongo), start(redis), start(s3Server(env))], signal, stop);
  if (forMongo === undefined || forRedis === undefined || forS3 === undefined) {
    await stop();
    // Report all missing backends at once, to be fixed in one go.
    throw new Error(unavailable.map(({ message }) => message).join('\n\n'));
  }
  return {
    mongoUrl: forMongo.connection,
    redisUrl: forRedis.connection,
    s3: forS3.connection,
    async interrupt(name, how = 'stop') {
      const one = running.get(name)!;
      await one[how]();
      return () => one.restart();
    },
    freeze: (name) => running.get(name)!.freeze(),
    stop,
  };
}
