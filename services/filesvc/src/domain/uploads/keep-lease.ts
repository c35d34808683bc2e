import type { UploadStore } from '../ports.js';
import type { HeldUpload } from './upload.js';

const BEAT_MS = 2_000;

export interface KeptLease {
  /** Something moved: the lease is worth keeping a little longer. */
  moved(): void;
  /** What follows may take long without moving. */
  finishing(): void;
  stop(): void;
}

/**
 * Keeps a writer's lease while bytes move. A writer whose connection hangs loses it after some seconds to a client that
 * comes back on a new one; as long as nobody does, it may go on.
 */
export function keepLease(uploads: Pick<UploadStore, 'extend'>, held: HeldUpload): KeptLease {
  let hasMoved = true;
  let isFinishing = false;
  const timer = setInterval(() => {
    // A lease that is lost shows at the next write, which is refused.
    uploads.extend(held, hasMoved || isFinishing).catch(() => undefined);
    hasMoved = false;
  }, BEAT_MS);
  return {
    moved: () => void (hasMoved = true),
    finishing: () => void (isFinishing = true),
    stop: () => clearInterval(timer),
  };
}
