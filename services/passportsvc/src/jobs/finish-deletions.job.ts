import { startSweep } from '@dtplatform/lease';
import type { Deps } from '../deps.js';

const EVERY_MS = 2_000;

/** Finishes deletions whose request did not, and their later rounds. */
export function finishDeletions({ deletions, log, lifecycle }: Pick<Deps, 'deletions' | 'log' | 'lifecycle'>): void {
  const recover = () => deletions.finishDue();
  const sweep = startSweep({ what: 'deletions', recover, log, everyMs: EVERY_MS });
  lifecycle.onStop('sweep of deletions', () => sweep.stop());
}
