import type { UploadStore } from './ports.js';
import type { HeldUpload } from './upload.js';

const HEARTBEAT_MS = 2_000;

export interface KeptLease {
  /** Bytes have moved, so the lease is worth extending. */
  moved(): void;
  /** The rest may take long without moving bytes. */
  finishing(): void;
  stop(): void;
}

/**
 * Extends a writer's lease while bytes move. A writer whose connection hangs loses it after some seconds to a client that
 * reconnects; until another client takes the lease, the writer may continue.
 */
export function keepLease(uploadStore: Pick<UploadStore, 'extend'>, held: HeldUpload): KeptLease {
  let hasMoved = true;
  let isFinishing = false;
  const timer = setInterval(() => {
    // Once the lease is lost, the next write is rejected.
    uploadStore.extend(held, hasMoved || isFinishing).catch(() => undefined);
    hasMoved = false;
  }, HEARTBEAT_MS);
  return {
    moved: () => void (hasMoved = true),
    finishing: () => void (isFinishing = true),
    stop: () => clearInterval(timer),
  };
}
