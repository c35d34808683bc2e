import { startSweep } from '@dtplatform/lease';
import type { Deps } from '../deps.js';

const EVERY_MS = 2_000;

/** Tells objectmodelsvc about changes of groups that a request could not tell it about. */
export function pushGroups({ groupSync, log, lifecycle }: Pick<Deps, 'groupSync' | 'log' | 'lifecycle'>): void {
  const recover = () => groupSync.pushPending();
  const sweep = startSweep({ what: 'members of groups', recover, log, everyMs: EVERY_MS });
  lifecycle.onStop('sweep of members of groups', () => sweep.stop());
}
