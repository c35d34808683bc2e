import { setTimeout as sleep } from 'node:timers/promises';
import { BACKUP_LEASE } from '@dtplatform/contracts';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, createLease } from '@dtplatform/mongo';
import type { Context } from '../context.js';
import { WITH_OBJECTS } from '../services.js';
import type { Settings } from '../settings.js';

/** A killed backup keeps its lease until it expires, and the Job is retried sooner. */
const WAIT_MS = BACKUP_LEASE.ttlMs + 10_000;
const EVERY_MS = 1_000;

interface Hold extends Context {
  settings: Settings;
  waitMs?: number;
}

/**
 * Runs work while filesvc removes nothing from its bucket; its removals wait in their queue. One backup at a time. The
 * work's signal aborts if filesvc may remove objects again.
 */
export async function holdRemovals<T>(
  { settings, waitMs = WAIT_MS, ...context }: Hold,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const mongo = await connectMongo({
    url: settings.MONGO_URL,
    database: `${settings.MONGO_DATABASE_PREFIX}${WITH_OBJECTS}`,
    appName: 'backup',
    log: silentLogger(),
    maxPoolSize: 2,
  });
  try {
    const lease = createLease(mongo, BACKUP_LEASE.name, BACKUP_LEASE);
    await take(lease, waitMs, context);
    return await lease.whileHeld(work, context.signal).finally(() => lease.release());
  } finally {
    await mongo.close();
  }
}

type Lease = Pick<ReturnType<typeof createLease>, 'hold'>;

/** @throws if another backup holds the lease for longer than `waitMs` */
async function take(lease: Lease, waitMs: number, { signal, report }: Context): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let attempt = 1; !(await lease.hold()); attempt += 1) {
    if (performance.now() > deadline) throw new Error('another backup of this platform is running');
    if (attempt === 1) report('another backup of this platform is running or was killed: waiting for it');
    await sleep(EVERY_MS, undefined, { signal });
  }
}
