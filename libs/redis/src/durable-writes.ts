import DataLoader from 'dataloader';
import { Cluster } from 'ioredis';
import type { Redis } from 'ioredis';
import pTimeout from 'p-timeout';
import type { RedisClient } from './client.js';
import { mastersOf } from './servers.js';

/** Commands that write. Runs with a client of its own: `WAIT` blocks its connection. */
export type DurableWrite = (client: RedisClient) => Promise<unknown>;

/** Below the command timeout. */
const WAIT_MS = 700;
const WAIT_RESPONSE_MS = 900;

/** 503: a failover now could undo the write. */
class UnconfirmedWriteError extends Error {
  override name = 'UnconfirmedWriteError';
}

/**
 * Runs writes that a failover must not undo: each resolves once `minReplicas` replicas have it. Writes that are
 * requested while others wait share the next `WAIT`, so that an unavailable replica delays all of them only once.
 * @param open opens a client for them alone
 */
export function createDurableWrites(
  client: RedisClient,
  open: () => Promise<RedisClient>,
  minReplicas: number,
): (write: DurableWrite) => Promise<void> {
  if (minReplicas === 0) return async (write) => void (await write(client));
  let opening: Promise<RedisClient> | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<DurableWrite, undefined>(
    async (writes) => {
      opening ??= open();
      const running = opening.then((writer) => runAll(writer, writes, minReplicas));
      previous = running.catch(() => undefined);
      return running;
    },
    { cache: false, batchScheduleFn: (run) => void previous.then(() => setImmediate(run)) },
  );
  return (write) => loader.load(write);
}

async function runAll(
  client: RedisClient,
  writes: readonly DurableWrite[],
  minReplicas: number,
): Promise<(undefined | Error)[]> {
  // `WAIT` covers only the writes of its own connection. A node of a cluster never reconnects: another one replaces it.
  const connection = () => (client instanceof Cluster ? undefined : client.stream);
  const [masters, before] = [mastersOf(client), connection()];
  const results = await Promise.allSettled(writes.map((write) => write(client)));
  // A cluster may have redirected a write to a node that is new here.
  const all = new Set([...masters, ...mastersOf(client)]);
  const replicas = await Promise.all([...all].map((master) => confirm(master, minReplicas)));
  const isConfirmed = replicas.every((count) => count >= minReplicas) && connection() === before;
  const failure = isConfirmed ? undefined : new UnconfirmedWriteError('Too few replicas confirmed a write in time.');
  return results.map((result) => (result.status === 'rejected' ? (result.reason as Error) : failure));
}

/** @returns the number of replicas that have all writes of this connection */
async function confirm(master: Redis, minReplicas: number): Promise<number> {
  const reconnect = () => (master.disconnect(true), 0);
  const waiting = master.wait(minReplicas, WAIT_MS);
  return pTimeout(waiting, { milliseconds: WAIT_RESPONSE_MS, fallback: reconnect }).catch(() => 0);
}
