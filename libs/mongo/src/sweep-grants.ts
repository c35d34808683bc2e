import { startSweep } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import type { PendingGrants } from './pending-grants.js';

interface Process {
  pendingGrants: Pick<PendingGrants, 'finishDue'>;
  log: Logger;
  lifecycle: { onStop(name: string, stop: () => Promise<unknown>): void };
}

/** Grants what is marked and due, until the process stops. Several processes may do it at the same time. */
export function sweepGrants({ pendingGrants, log, lifecycle }: Process): void {
  // What workers change is granted here as a rule: it is no lost work.
  const recover = () => pendingGrants.finishDue().then(() => 0);
  const sweep = startSweep({ what: 'pending permissions', recover, log, everyMs: 1_000, idleMs: 8_000 });
  lifecycle.onStop('sweep of pending permissions', () => sweep.stop());
}
