import type { ByteBudget, Share } from '@dtplatform/budget';

/** The upload that needs a buffer. */
export interface BufferUser {
  /** Buffers are given to callers in turn. */
  caller: string;
  /** Ends the wait for a buffer. */
  signal: AbortSignal;
  /** Aborts the upload because it fills its buffer too slowly while others wait. */
  cut(): void;
}

/**
 * The buffers for the parts of all uploads of this process, within one budget. An upload waits for its first buffer,
 * but never for a second one while it holds the first.
 */
export interface PartBuffers {
  /** Takes a buffer once the budget has room. @throws the reason of the user's signal */
  take(bytes: number, user: BufferUser): Promise<Buffer>;
  /** Takes a further buffer if there is room and nobody waits. */
  tryTake(bytes: number, user: BufferUser): Buffer | undefined;
  /** Reports that the buffer is full, so its user no longer counts as slow. */
  filled(buffer: Buffer): void;
  /** Returns a buffer. Its memory is reused, so nothing may access it any more. */
  give(buffer: Buffer): void;
  /** Returns a buffer that a broken connection may still read from; its memory is not reused. */
  drop(buffer: Buffer): void;
}

interface Held {
  share: Share;
  user: BufferUser;
  /** Deadline for filling it, enforced while others wait. */
  dueAtMs: number;
}

const KEEP_MS = 5_000;
const CHECK_EVERY_MS = 2_000;
/** Time to fill a buffer of `PART_BYTES` while others wait: about 140 kB/s. */
const FILL_MS = 60_000;

/** @param kept size of buffers whose memory is pooled for a few seconds, because reuse is cheaper than allocation */
export function createPartBuffers(budget: ByteBudget, kept = PART_BYTES, fillMs = FILL_MS): PartBuffers {
  const free: Buffer[] = [];
  const held = new Map<Buffer, Held>();
  let waiting = 0;
  let checking: NodeJS.Timeout | undefined;
  let keeping: NodeJS.Timeout | undefined;

  function allocate(bytes: number, user: BufferUser, share: Share): Buffer {
    const buffer = (bytes === kept ? free.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
    trim();
    held.set(buffer, { share, user, dueAtMs: performance.now() + fillMs * Math.max(1, bytes / PART_BYTES) });
    return buffer;
  }

  /** Pooled memory counts towards the budget. */
  function trim(): void {
    while (free.length > 0 && budget.usedBytes + free.length * kept > budget.totalBytes) free.pop();
  }

  function cutSlow(): void {
    for (const { dueAtMs, user } of held.values()) if (performance.now() > dueAtMs) user.cut();
  }

  async function reserve(bytes: number, user: BufferUser): Promise<Share> {
    if (waiting++ === 0) checking = setInterval(cutSlow, Math.min(CHECK_EVERY_MS, fillMs)).unref();
    try {
      return await budget.reserve(bytes, user.caller, user.signal);
    } finally {
      if (--waiting === 0) clearInterval(checking);
    }
  }

  function drop(buffer: Buffer): void {
    held.get(buffer)?.share.release();
    held.delete(buffer);
  }

  return {
    async take(bytes, user) {
      const share = budget.tryReserve(bytes, user.caller) ?? (await reserve(bytes, user));
      return allocate(bytes, user, share);
    },
    tryTake(bytes, user) {
      const share = budget.tryReserve(bytes, user.caller);
      return share && allocate(bytes, user, share);
    },
    filled(buffer) {
      const holding = held.get(buffer);
      if (holding) holding.dueAtMs = Infinity;
    },
    give(buffer) {
      if (buffer.length === kept) free.push(buffer);
      drop(buffer);
      trim();
      clearTimeout(keeping);
      keeping = setTimeout(() => free.splice(0), KEEP_MS).unref();
    },
    drop,
  };
}

const MIB = 1024 * 1024;

/** S3's minimum for parts other than the last. */
export const MIN_PART_BYTES = 5 * MIB;
/** Size of parts unless the content is very large. */
const PART_BYTES = 8 * MIB;
/** S3's maximum number of parts. */
export const MAX_PARTS = 10_000;
/** Leaves part numbers for parts that end early. */
const PLANNED_PARTS = 9_000;

/** The part size in bytes that keeps content of `size` bytes well below `MAX_PARTS`. */
export const partBytesFor = (size: number): number => Math.max(PART_BYTES, Math.ceil(size / PLANNED_PARTS / MIB) * MIB);
