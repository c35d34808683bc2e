import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { commonErrors } from '@dtplatform/errors';
import type { CallBounds, ReadMemory } from '@dtplatform/telemetry';

/**
 * What ends a request early, and what it may read. Connections and timers that a request opens keep it for as long as they
 * live, so it must not lead to what the request has read.
 */
export class RequestBounds implements CallBounds {
  /** Whose memory the request takes: callers without a token share theirs. */
  caller = '';
  memory: ReadMemory | undefined;
  readonly #res: ServerResponse;
  /** A request that is destroyed no longer has it. */
  readonly #socket: Socket;
  #abort: AbortController | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
    this.#socket = res.req.socket;
  }

  /** Whether the caller has closed the connection, broken it or stopped sending before the response was complete. */
  get isCallerGone(): boolean {
    const { req, writableFinished } = this.#res;
    if (writableFinished) return false;
    // What this process destroys by itself has none of these.
    const isCut = (req.errored as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
    return this.#socket.readableEnded || Boolean(this.#socket.errored) || isCut;
  }

  /** Aborted when the caller disconnects before the response is complete. Created on first use: few requests need it. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const controller = new AbortController();
      onceClosed(this.#res, () => {
        if (!this.#res.writableFinished) controller.abort(commonErrors.callerDisconnected());
      });
      this.#abort = controller;
    }
    return this.#abort.signal;
  }
}

/**
 * Calls `end` once the response is complete or its connection has ended. A response that waits behind others of its
 * connection has no `close` event of its own when the connection ends.
 */
export function onceClosed(res: ServerResponse, end: () => void): void {
  const { socket } = res.req;
  if (res.destroyed || socket.destroyed) return end();
  const closed = () => {
    res.off('close', closed);
    socket.off('close', closed);
    end();
  };
  res.once('close', closed);
  // One listener for each response that waits.
  socket.setMaxListeners(0).once('close', closed);
}
