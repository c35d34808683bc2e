/** Buffers for parts. New memory costs more than the copy into it, so those of the usual size are used again. */
export interface PartBuffers {
  take(bytes: number): Buffer;
  /** Only when nothing reads or writes the buffer any more. */
  give(buffer: Buffer): void;
}

const MAX_KEPT = 32;
const KEEP_MS = 5_000;

/** @param bytes size of the buffers that are kept for a while after their last use */
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
