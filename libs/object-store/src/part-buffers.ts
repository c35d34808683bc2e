/** Reuses the buffers of parts: copying into memory that is already mapped is cheaper than allocating it. */
export interface PartBuffers {
  take(bytes: number): Buffer;
  /** Only once nothing reads or writes the buffer any more. */
  give(buffer: Buffer): void;
}

const MAX_KEPT = 32;
const KEEP_MS = 5_000;

/** @param bytes size of the buffers that are kept for a few seconds after their last use; other sizes are not kept */
export function createPartBuffers(bytes: number): PartBuffers {
  const kept: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;

  return {
    take: (wanted) => (wanted === bytes ? kept.pop() : undefined) ?? Buffer.allocUnsafeSlow(wanted),
    give(buffer) {
      if (buffer.length !== bytes || kept.length === MAX_KEPT) return;
      kept.push(buffer);
      clearTimeout(timer);
      timer = setTimeout(() => kept.splice(0), KEEP_MS).unref();
    },
  };
}
