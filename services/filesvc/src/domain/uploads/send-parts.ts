import type { Readable } from 'node:stream';
import type { PartBuffers } from './part-buffers.js';
import { PARTS_IN_FLIGHT } from './upload.js';

export interface SendPartsOptions {
  body: Readable;
  /** Bytes that come before those of the body. */
  head?: Buffer;
  /** Bytes of each part. */
  partBytes: number;
  /** The most bytes that head and body may hold together. */
  maxBytes: number;
  /**
   * Makes a part durable. The buffer is used again once the promise settles. The bytes that end at `maxBytes` are not
   * sent: they are the rest.
   */
  send: (part: Buffer) => Promise<void>;
  /** Called with each piece of the body as it comes. */
  onBytes?: (bytes: Buffer) => void;
  buffers: PartBuffers;
}

export interface SentParts {
  /** Bytes of head and body. */
  total: number;
  /** The last bytes, which no part holds. */
  rest: Buffer;
  /** `cut`: the connection broke. `too-long`: more than `maxBytes` came. */
  end: 'complete' | 'cut' | 'too-long';
}

/**
 * Sends a body in parts of one size, then hands what was sent to `then`. No more than two buffers of that size exist: one
 * fills while the other is on its way, or both are on their way and the body waits, down to the sender's socket.
 * @throws the error of `send`, after all parts have settled
 */
export async function sendParts<T>(options: SendPartsOptions, then: (sent: SentParts) => Promise<T>): Promise<T> {
  const parts = createParts(options);
  const { total, end } = await fillParts(options, parts);
  await parts.settle();
  const result = await then({ total, end, rest: parts.rest() });
  parts.giveBack();
  return result;
}

type Parts = ReturnType<typeof createParts>;

async function fillParts({ body, head, maxBytes, onBytes }: SendPartsOptions, parts: Parts) {
  let total = 0;
  let end: SentParts['end'] = 'complete';

  const take = async (bytes: Buffer): Promise<void> => {
    total += bytes.length;
    for (let at = 0; at < bytes.length;) {
      at += await parts.fill(bytes, at);
      if (parts.isFull() && !(total === maxBytes && at === bytes.length)) parts.launch();
    }
  };

  try {
    if (head) await take(head);
    // An iterator that destroyed the request at its end would take the answer with it.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (total + chunk.length > maxBytes) {
        end = 'too-long';
        break;
      }
      onBytes?.(chunk);
      await take(chunk);
    }
  } catch (error) {
    if (!body.destroyed && !parts.hasFailed()) throw error;
    end = 'cut';
  }
  return { total, end };
}

function createParts({ partBytes, maxBytes, send, buffers }: SendPartsOptions) {
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
    /** Copies what fits; gives the number of bytes. */
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
    hasFailed: () => failed !== undefined,
    /** Waits for all parts. @throws when one of them failed */
    async settle(): Promise<void> {
      await Promise.all(inFlight);
      throwFailure();
    },
    rest: () => (current ?? Buffer.alloc(0)).subarray(0, used),
    /** Never after a failure: a connection that broke may still hold the bytes. */
    giveBack: () => [...free, ...(current ? [current] : [])].forEach((buffer) => buffers.give(buffer)),
  };
}
