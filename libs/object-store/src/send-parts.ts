import type { Readable } from 'node:stream';
import type { PartBuffers } from './part-buffers.js';

/** Each part in flight has a buffer of its own, so this bounds the memory of an upload. */
const PARTS_IN_FLIGHT = 2;

export interface SendPartsOptions {
  body: Readable;
  /** Bytes to send before those of the body. */
  head?: Buffer;
  /** Size of each part, in bytes. */
  partBytes: number;
  /** The most bytes that head and body may have together. */
  maxBytes: number;
  /**
   * Stores one full part. The buffer is reused once the promise settles. Bytes that end exactly at `maxBytes` are not
   * sent: they are the `rest`.
   */
  send: (part: Buffer) => Promise<void>;
  /** Called with each chunk of the body as it arrives. */
  onBytes?: (bytes: Buffer) => void;
}

export interface SentParts {
  /** Bytes of head and body. */
  total: number;
  /** The last bytes, which do not fill a part. The buffer is reused once `then` has settled. */
  rest: Buffer;
  /** `cut`: the body broke off. `too-long`: it has more than `maxBytes`. */
  end: 'complete' | 'cut' | 'too-long';
  /** What the body broke off with. */
  error?: unknown;
}

/**
 * Cuts a stream into parts of one size, sends them, and then calls `then` with the outcome and the remaining bytes.
 *
 * Memory is bounded by two buffers of `partBytes`. One fills while the other is in flight; while both are in flight the
 * body is not read, so back-pressure reaches the sender's socket.
 * @throws the first error of `send`, after all parts in flight have settled; the error of `then`
 */
export async function sendParts<T>(
  options: SendPartsOptions & { buffers: PartBuffers },
  then: (sent: SentParts) => Promise<T>,
): Promise<T> {
  const parts = createParts(options);
  const filled = await fillParts(options, parts);
  await parts.settle();
  const result = await then({ ...filled, rest: parts.rest() });
  parts.giveBack();
  return result;
}

async function fillParts(
  { body, head, maxBytes, onBytes }: SendPartsOptions,
  parts: ReturnType<typeof createParts>,
): Promise<Omit<SentParts, 'rest'>> {
  let total = 0;

  const take = async (bytes: Buffer): Promise<void> => {
    total += bytes.length;
    for (let at = 0; at < bytes.length;) {
      at += await parts.fill(bytes, at);
      if (parts.isFull() && !(total === maxBytes && at === bytes.length)) parts.launch();
    }
  };

  try {
    if (head) await take(head);
    // Destroying a request at its end would also destroy the connection that its response needs.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (total + chunk.length > maxBytes) return { total, end: 'too-long' };
      onBytes?.(chunk);
      await take(chunk);
    }
    return { total, end: 'complete' };
  } catch (error) {
    await parts.settle();
    if (!body.destroyed) throw error;
    return { total, end: 'cut', error };
  }
}

function createParts({ partBytes, maxBytes, send, buffers }: SendPartsOptions & { buffers: PartBuffers }) {
  const bytes = Math.min(partBytes, Math.max(maxBytes, 1));
  const free: Buffer[] = [];
  const inFlight = new Set<Promise<void>>();
  let made = 0;
  let current: Buffer | undefined;
  let used = 0;
  let failed: { error: unknown } | undefined;

  const throwFailure = () => {
    if (failed) throw failed.error;
  };

  async function next(): Promise<Buffer> {
    while (free.length === 0 && made === PARTS_IN_FLIGHT) await Promise.race(inFlight);
    throwFailure();
    if (free.length > 0) return free.pop()!;
    made++;
    return buffers.take(bytes);
  }

  return {
    /** Copies as much as fits into the current part and returns the number of bytes. */
    async fill(source: Buffer, at: number): Promise<number> {
      throwFailure();
      current ??= await next();
      const copied = source.copy(current, used, at);
      used += copied;
      return copied;
    },
    isFull: () => used === current?.length,
    launch(): void {
      const part = current!;
      current = undefined;
      used = 0;
      const sending = send(part)
        .catch((error: unknown) => (failed ??= { error }))
        .then(() => {
          inFlight.delete(sending);
          free.push(part);
        });
      inFlight.add(sending);
    },
    /** Waits for all parts in flight. @throws when one of them failed */
    async settle(): Promise<void> {
      await Promise.all(inFlight);
      throwFailure();
    },
    rest: () => (current ?? Buffer.alloc(0)).subarray(0, used),
    /** Not after a failure: a broken connection may still read from the buffers. */
    giveBack: () => [...free, ...(current ? [current] : [])].forEach((buffer) => buffers.give(buffer)),
  };
}
