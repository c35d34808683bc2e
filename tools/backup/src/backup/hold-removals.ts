import { BACKUP_LEASE } from '@dtplatform/contracts';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, createLease } from '@dtplatform/mongo';
import { WITH_OBJECTS } from '../services.js';
import type { Settings } from '../settings.js';

/**
 * Does some work while filesvc removes nothing from its bucket. What it would have removed waits in its queue. One backup at a
 * time can do so. The signal of the work is aborted if filesvc may remove objects again.
 */
export async function holdRemovals<T>(
  settings: Settings,
  signal: AbortSignal,
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
    if (!(await lease.hold()))
      throw new Error('another backup of this platform is running, or one broke off less than two minutes ago');
    return await lease.whileHeld(work, signal).finally(() => lease.release());
  } finally {
    await mongo.close();
  }
}
