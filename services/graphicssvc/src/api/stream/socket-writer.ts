import type { WebSocket } from 'ws';

/** Sends messages one after the other. */
export interface SocketWriter {
  /**
   * Resolves once the operating system has taken the message, so no more than one message of each sender waits in memory.
   * @param signal ends the wait; a message that is not on its way yet is then dropped
   * @throws when the connection is closed, or the other side has stopped reading and the connection was ended for that
   */
  send(message: string | Buffer, signal?: AbortSignal): Promise<void>;
}

interface Options {
  /** How long the other side may take to accept one message. */
  stallMs: number;
  onStall: () => void;
}

export function createSocketWriter(socket: WebSocket, { stallMs, onStall }: Options): SocketWriter {
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
    send(message, signal) {
      const sent = previous.then(() => {
        signal?.throwIfAborted();
        return write(message);
      });
      previous = sent.catch(() => undefined);
      return signal ? orAborted(sent, signal) : sent;
    },
  };
}

function orAborted(sent: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    sent.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
