import { startSweep } from '@dtplatform/lease';
import type { Deps } from '../deps.js';

const EVERY_MS = 2_000;

/** Writes the permissions of apps that the migration created, whenever that runs and objectmodelsvc accepts them. */
export function writePendingGrants({ apps, log, lifecycle }: Pick<Deps, 'apps' | 'log' | 'lifecycle'>): void {
  const recover = () => apps.writePendingGrants();
  const sweep = startSweep({ what: 'permissions of apps', recover, log, everyMs: EVERY_MS });
  lifecycle.onStop('sweep of pending permissions', () => sweep.stop());
}
