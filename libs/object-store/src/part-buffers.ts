import type { ByteBudget, Share } from '@dtplatform/budget';

/** The upload that needs a buffer. */
export interface BufferUser {
  /** Buffers go to callers in turn. */
  caller: string;
  /** Ends the wait for a buffer. */
  signal: AbortSignal;
  /** Breaks the upload off: it fills its buffer too slowly while others wait for one. */
  cut(): void;
}

/**
 * The buffers for the parts of all uploads of this process, within one budget. An upload waits for its first buffer. It
 * never waits for a second one while it holds the first.
 */
export interface PartBuffers {
  /** A buffer once the budget has room for it. @throws the reason of the user's signal */
  take(bytes: number, user: BufferUser): Promise<Buffer>;
  /** A further buffer, if there is room and nobody waits. */
  tryTake(bytes: number, user: BufferUser): Buffer | undefined;
  /** The buffer is full. From now on its user is not too slow. */
  filled(buffer: Buffer): void;
  /** Takes a buffer back. Its memory is reused, so nothing may read or write it any more. */
  give(buffer: Buffer): void;
  /** Takes a buffer back that a broken connection may still read from. */
  drop(buffer: Buffer): void;
}

interface Held {
  share: Share;
  user: BufferUser;
  /** When it must be full, if others wait then. */
  dueAtMs: number;
}

const KEEP_MS = 5_000;
const CHECK_EVERY_MS = 2_000;
/** Time to fill a buffer of `PART_BYTES` while others wait: about 140 kB/s. */
const FILL_MS = 60_000;

/** @param kept size of the buffers whose memory is kept for a few seconds: using it again is cheaper than allocating it */
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

  /** Memory that is kept counts as well. */
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

/** The smallest part that S3 accepts before the last one. */
export const MIN_PART_BYTES = 5 * MIB;
/** Parts have this size unless the content is very large. */
const PART_BYTES = 8 * MIB;
/** The most parts that S3 accepts in one upload. */
export const MAX_PARTS = 10_000;
/** Leaves part numbers for parts that end early. */
const PLANNED_PARTS = 9_000;

/** The part size, in bytes, that keeps content of `size` bytes well below `MAX_PARTS`. */
export const partBytesFor = (size: number): number => Math.max(PART_BYTES, Math.ceil(size / PLANNED_PARTS / MIB) * MIB);
