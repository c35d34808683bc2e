import type { WebSocket } from 'ws';

/** A binary frame: the request (4 bytes), the offset of its first byte in the file (8 bytes), both big-endian; then the bytes. */
const FRAME_HEADER_BYTES = 12;
/** Bytes of a file in one frame at most; no more are in the buffer of a connection at once. */
const MAX_FRAME_BYTES = 64 * 1024;

/** The frames of consecutive bytes of a file. */
export function* framesOf(requestId: number, offset: number, bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) {
    const part = bytes.subarray(at, at + MAX_FRAME_BYTES);
    const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + part.length);
    frame.writeUInt32BE(requestId, 0);
    frame.writeBigUInt64BE(BigInt(offset + at), 4);
    part.copy(frame, FRAME_HEADER_BYTES);
    yield frame;
  }
}

interface Options {
  /** How long the other side may take to accept one message. */
  stallMs: number;
  onStall: () => void;
}

/** Sends messages one after the other. */
export function createSocketWriter(socket: WebSocket, { stallMs, onStall }: Options) {
  let previous: Promise<unknown> = Promise.resolve();

  const write = (message: string | Buffer) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        onStall();
        socket.terminate();
      }, stallMs);
      socket.send(message, { binary: typeof message !== 'string' }, (error) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      });
    });

  return {
    /**
     * Resolves once the operating system has taken the message, so no more than one message of each sender waits in memory.
     * @param signal ends the wait; a message that is not on its way yet is then dropped
     * @throws when the connection is closed, or the other side has stopped reading and the connection was ended for that
     */
    send(message: string | Buffer, signal?: AbortSignal): Promise<void> {
      const sent = previous.then(() => {
        signal?.throwIfAborted();
        return write(message);
      });
      previous = sent.catch(() => undefined);
      return signal ? orAborted(sent, signal) : sent;
    },
  };
}

export type SocketWriter = ReturnType<typeof createSocketWriter>;

function orAborted(sent: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    sent.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
