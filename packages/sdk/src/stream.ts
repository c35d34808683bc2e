import { NetworkError } from './errors.js';
import { messageOf } from './message-of.js';

/** The chunks of a body. @throws NetworkError when the connection breaks or stalls for `stallMs` */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  stallMs: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, stallMs, signal);
      if (done) return;
      yield value;
    }
  } finally {
    // It may be closed already, or have failed.
    await reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readWithin(reader: Reader, stallMs: number, signal?: AbortSignal) {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing was received for ${stallMs / 1000} s`)), stallMs);
  });
  try {
    return await Promise.race([reader.read(), stalled]);
  } catch (error) {
    signal?.throwIfAborted();
    throw new NetworkError(`The connection was cut: ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
