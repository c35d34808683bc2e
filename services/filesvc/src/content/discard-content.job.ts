import type { NamedLease } from '@dtplatform/lease';
import type { ObjectStore } from '@dtplatform/object-store';
import { Postponed } from '@dtplatform/queue';
import type { JobHandler } from '@dtplatform/queue';
import type { Discard } from '../events/domain-events.store.js';

const BACKUP_RUNS_MS = 5_000;

interface Deps {
  objects: Pick<ObjectStore, 'deleteMany' | 'multipart'>;
  backupLease: Pick<NamedLease, 'isHeld'>;
}

/** Idempotent: missing content is not an error. */
export const discardContent =
  ({ objects, backupLease }: Deps): JobHandler<Discard> =>
  async ({ objects: keys, multiparts }) => {
    for (const { key, multipartId } of multiparts) await objects.multipart.abort(key, multipartId);
    if (keys.length === 0) return;
    if (await backupLease.isHeld()) throw new Postponed(BACKUP_RUNS_MS);
    await objects.deleteMany(keys);
  };
