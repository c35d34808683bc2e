import { startSweep } from '@dtplatform/lease';
import type { NamedLease } from '@dtplatform/lease';
import type { ProcessContext } from '@dtplatform/runtime';
import type { KeyRotation } from './key-rotation.js';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Job extends Pick<ProcessContext, 'log' | 'lifecycle'> {
  keyRotation: KeyRotation;
  lease: Pick<NamedLease, 'hold' | 'release'>;
  /** 0 for never. */
  rotateAfterDays: number;
  everyMs: number;
}

export function rotateSigningKeys({ keyRotation, lease, rotateAfterDays, everyMs, log, lifecycle }: Job): void {
  async function work(): Promise<void> {
    const added = rotateAfterDays === 0 ? undefined : await keyRotation.rotateAfter(rotateAfterDays * DAY_MS);
    if (added) {
      log.info({ audit: true, kid: added.key.kid, signsFrom: new Date(added.activeFrom) }, 'signing keys rotated');
    }
    const kids = await keyRotation.removeExpired();
    if (kids.length > 0) log.info({ audit: true, kids }, 'signing keys withdrawn');
  }

  async function alone(): Promise<number> {
    if (await lease.hold()) await work().finally(() => lease.release());
    return 0;
  }
  const sweep = startSweep({ what: 'signing keys', recover: alone, log, everyMs });
  lifecycle.onStop('rotation of signing keys', () => sweep.stop());
}
