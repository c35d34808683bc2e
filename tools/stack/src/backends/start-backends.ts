import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { endLeftovers } from '../processes/leftovers.js';
import { lockState } from '../state/lock.js';
import type { BackendSpec } from './backend-spec.js';
import { defaultCacheDir } from './cache.js';
import { mongo } from './mongo.js';
import { redis } from './redis.js';
import { s3 } from './s3.js';
import { BackendUnavailable } from './sources/acquire.js';
import { startBackend, type StartedBackend } from './start-backend.js';
import type { Backends, StartBackendsOptions } from './types.js';

/**
 * Starts MongoDB, Redis and S3 at the same time, or takes those named in the environment. Rejects with what is missing
 * when one cannot be had; then, and on abort, nothing that was begun is left.
 */
export async function startBackends(options: StartBackendsOptions): Promise<Backends> {
  const unlock = await lockState(options.dataDir);
  try {
    const backends = await startBackendsInLockedState(options);
    return { ...backends, stop: () => backends.stop().finally(unlock) };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The same for whoever holds the lock on `dataDir` already. */
export async function startBackendsInLockedState({
  dataDir,
  report,
  cacheDir,
  env,
  signal,
}: StartBackendsOptions): Promise<Backends> {
  const environment = env ?? process.env;
  const failed = new AbortController();
  const context = {
    dataDir: path.resolve(dataDir),
    report,
    cacheDir: cacheDir ?? defaultCacheDir(environment),
    env: environment,
    signal: signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]),
  };
  await mkdir(context.dataDir, { recursive: true });
  for (const name of await endLeftovers(context.dataDir)) report.warn(name, 'ended what an earlier start left running');

  const start = <Connection>(spec: BackendSpec<Connection>) =>
    startBackend(spec, context).catch((error: unknown) => {
      failed.abort(error);
      throw error;
    });
  const results = await Promise.allSettled([start(mongo), start(redis), start(s3)] as const);
  const [mongoResult, redisResult, s3Result] = results;
  const stop = async () => {
    const started = results.filter((result) => result.status === 'fulfilled').map((result) => result.value);
    await Promise.all(started.map((backend: StartedBackend<unknown>) => backend.stop()));
  };
  if (mongoResult.status === 'rejected' || redisResult.status === 'rejected' || s3Result.status === 'rejected') {
    await stop();
    signal?.throwIfAborted();
    throw firstCause(results, failed.signal.reason);
  }
  return {
    mongoUrl: mongoResult.value.connection,
    redisUrl: redisResult.value.connection,
    s3: s3Result.value.connection,
    sources: { mongo: mongoResult.value.source, redis: redisResult.value.source, s3: s3Result.value.source },
    stop,
  };
}

/** All that cannot be had in one message, so that it can be mended at one go; else what failed first. */
function firstCause(results: readonly PromiseSettledResult<unknown>[], first: unknown): unknown {
  const unavailable = results
    .filter((result) => result.status === 'rejected')
    .map((result): unknown => result.reason)
    .filter((reason) => reason instanceof BackendUnavailable);
  const messages = new Set(unavailable.map((error) => error.message));
  return messages.size > 1 ? new Error([...messages].join('\n\n')) : first;
}
