import { startSweep } from '@dtplatform/lease';
import type { Deps } from '../deps.js';

const EVERY_MS = 5_000;

/** Sends the reminders of invites that are due. Of several processes, one sends each. */
export function remindInvites({ invites, log, lifecycle }: Pick<Deps, 'invites' | 'log' | 'lifecycle'>): void {
  const recover = async () => {
    const sent = await invites.remind();
    if (sent > 0) log.info({ count: sent }, 'reminders of invites are sent');
    return 0;
  };
  const sweep = startSweep({ what: 'reminders of invites', recover, log, everyMs: EVERY_MS });
  lifecycle.onStop('sweep of reminders', () => sweep.stop());
}
