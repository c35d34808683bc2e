import type { Readable } from 'node:stream';
import { consume } from './consume.js';
import type { BufferUser, PartBuffers } from './part-buffers.js';

/** Each part in flight has its own buffer. */
const PARTS_IN_FLIGHT = 2;

export interface SendPartsOptions {
  body: Readable;
  /** Opens a stream to send before the body. Called once there is a buffer for it. */
  head?: () => Promise<Readable>;
  /** In bytes. */
  partBytes: number;
  /** Limit of head and body together, in bytes. */
  maxBytes: number;
  /** Buffers are given to callers in turn. */
  caller: string;
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
  /** The remaining bytes, which do not fill a part. The buffer is reused once `then` has settled. */
  rest: Buffer;
  /** `cut`: the connection broke. `too-long`: more than `maxBytes`. */
  end: 'complete' | 'cut' | 'too-long';
  /** Why the body ended early. */
  error?: unknown;
}

/**
 * Cuts a stream into parts of one size, sends them, and then calls `then` with the outcome and the remaining bytes.
 *
 * While one buffer of `partBytes` is in flight, a second one is filled if the budget of the process has room. Without a
 * buffer the body is not read, so the sender sees back-pressure. A sender that fills its buffer too slowly while others
 * wait is cut off.
 * @throws the first error of `send`, after all parts in flight have settled; the error of `then`
 */
export async function sendParts<T>(
  options: SendPartsOptions & { buffers: PartBuffers },
  then: (sent: SentParts) => Promise<T>,
): Promise<T> {
  const user = userOf(options);
  const parts = createParts(options, user);
  try {
    const filled = await fillParts(options, parts);
    await parts.settle();
    const result = await then({ ...filled, rest: parts.rest() });
    parts.giveBack();
    return result;
  } finally {
    user.forget();
    parts.drop();
  }
}

function userOf({ body, caller }: SendPartsOptions): BufferUser & { forget(): void } {
  const leaving = new AbortController();
  const leave = () => {
    if (body.readableAborted) leaving.abort(body.errored ?? new Error('The body broke off.'));
  };
  body.once('close', leave);
  if (body.destroyed) leave();
  return {
    caller,
    signal: leaving.signal,
    cut: () => body.destroy(new Error('The body arrives too slowly while other requests wait.')),
    forget: () => body.off('close', leave),
  };
}

async function fillParts(
  { body, head, maxBytes, onBytes }: SendPartsOptions,
  parts: ReturnType<typeof createParts>,
): Promise<Omit<SentParts, 'rest'>> {
  let total = 0;

  /** Returns a promise only without a buffer, because there are many chunks. */
  const take = (bytes: Buffer, from = 0): true | Promise<true> => {
    for (let at = from; at < bytes.length;) {
      if (!parts.isReady()) return parts.ready().then(() => take(bytes, at));
      const copied = parts.fill(bytes, at);
      at += copied;
      total += copied;
      if (parts.isFull() && total < maxBytes) parts.launch();
    }
    return true;
  };

  try {
    if (head) {
      await parts.ready();
      const stream = await head();
      await consume(stream, (chunk) => take(chunk)).finally(() => stream.destroy());
    }
    const isComplete = await consume(body, (chunk) => {
      if (total + chunk.length > maxBytes) return false;
      onBytes?.(chunk);
      return take(chunk);
    });
    return { total, end: isComplete ? 'complete' : 'too-long' };
  } catch (error) {
    await parts.settle();
    if (!body.destroyed) throw error;
    return { total, end: 'cut', error };
  }
}

function createParts(
  { partBytes, maxBytes, send, buffers }: SendPartsOptions & { buffers: PartBuffers },
  user: BufferUser,
) {
  const bytes = Math.min(partBytes, Math.max(maxBytes, 1));
  const inFlight = new Set<Promise<void>>();
  let current: Buffer | undefined;
  let used = 0;
  let failed: { error: unknown } | undefined;

  const throwFailure = () => {
    if (failed) throw failed.error;
  };

  async function next(): Promise<Buffer> {
    if (inFlight.size === PARTS_IN_FLIGHT) await Promise.race(inFlight);
    const further = !failed && inFlight.size > 0 ? buffers.tryTake(bytes, user) : undefined;
    if (further) return further;
    await Promise.all(inFlight);
    throwFailure();
    return buffers.take(bytes, user);
  }

  return {
    /** Waits for a buffer. */
    async ready(): Promise<void> {
      current ??= await next();
    },
    isReady: () => current !== undefined,
    /** Copies as much as fits into the current part, which must be ready. Returns the number of bytes. */
    fill(source: Buffer, at: number): number {
      throwFailure();
      const copied = source.copy(current!, used, at);
      used += copied;
      return copied;
    },
    isFull: () => used === current?.length,
    launch(): void {
      const part = current!;
      current = undefined;
      used = 0;
      buffers.filled(part);
      const sending = send(part)
        .then(
          () => buffers.give(part),
          (error: unknown) => {
            failed ??= { error };
            // A broken connection may still read from it.
            buffers.drop(part);
          },
        )
        .then(() => void inFlight.delete(sending));
      inFlight.add(sending);
    },
    /** Waits for all parts in flight. @throws when one of them failed */
    async settle(): Promise<void> {
      await Promise.all(inFlight);
      throwFailure();
    },
    rest(): Buffer {
      if (current) buffers.filled(current);
      return (current ?? Buffer.alloc(0)).subarray(0, used);
    },
    giveBack(): void {
      if (current) buffers.give(current);
      current = undefined;
    },
    /** `giveBack` after a failure: a broken connection may still read from the buffer. */
    drop(): void {
      if (current) buffers.drop(current);
      current = undefined;
    },
  };
}
