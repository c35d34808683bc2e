import type { WebSocket } from 'ws';

/**
 * A binary frame: request id (4 bytes) and offset of its first byte in the file (8 bytes), both big-endian; then the
 * bytes.
 */
const FRAME_HEADER_BYTES = 12;
/** Bytes of a file per frame; also the most in a connection's buffer. */
const MAX_FRAME_BYTES = 64 * 1024;

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
  /** How long the peer may take to accept one message. */
  stallMs: number;
  onStall: () => void;
}

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
     * Resolves once the operating system has accepted the message, so at most one message per sender waits in memory.
     * @param signal ends the wait; drops a message that is not on its way yet
     * @throws when the connection is closed, or was ended because the peer stopped reading
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
