import { expiredCertificate } from '../faults/expired-certificate.js';
import { fullVolume } from '../faults/full-volume.js';
import { missingImage } from '../faults/missing-image.js';
import { outOfMemory } from '../faults/out-of-memory.js';
import { wrongSecret } from '../faults/wrong-secret.js';
import type { TestRun } from '../test-run.js';

/** Tests the faults in docs/operations.md: what fails during each, and that the platform recovers by itself. */
export async function faults(run: TestRun): Promise<void> {
  await outOfMemory(run);
  await wrongSecret(run);
  await missingImage(run);
  await fullVolume(run);
  await expiredCertificate(run);
}
