import type { ServerResponse } from 'node:http';
import type { Share } from '@dtplatform/budget';
import { onceClosed } from './disconnection.js';
import { reserve } from './request-memory.js';
import type { RequestMemory, Reserving } from './request-memory.js';

/** Above this, what a caller has not taken yet counts as memory of its request. */
const LARGE_REPLY_BYTES = 256 * 1024;
const MAX_SEND_MS = 60_000;
/** The same for callers that leave many of them: they must not keep others from reading. */
const MAX_SEND_OVER_BUDGET_MS = 2_000;

/** What one request has reserved of the memory of its process (docs/adr/0027-memory-has-a-budget.md). */
export class RequestShares {
  readonly #memory: RequestMemory;
  readonly #request: Reserving;
  #parsed: Share | undefined;
  #read: Share | undefined;

  constructor(memory: RequestMemory, request: Reserving) {
    this.#memory = memory;
    this.#request = request;
  }

  /** For a body while it is received. The caller of this method releases it. @throws 503 when the wait takes too long */
  receive(bytes: number): Share | Promise<Share> {
    return reserve(this.#memory, 'received', bytes, this.#request);
  }

  /** For a body while it is parsed and handled. @throws 503 when the wait takes too long */
  async parse(bytes: number): Promise<void> {
    this.#parsed = await reserve(this.#memory, 'parsed', bytes, this.#request);
  }

  /** For what the request reads from the database. @throws 503 when the wait takes too long */
  async read(bytes: number): Promise<void> {
    this.#read = await reserve(this.#memory, 'read', bytes, this.#request);
  }

  /** Before a handler that may wait for long: by then it holds little of the body's text. */
  releaseParsed(): void {
    this.#parsed?.release();
  }

  /** Before content is streamed: it was not read into memory. */
  releaseRead(): void {
    this.#read?.release();
  }

  /** Keeps the memory of a large reply reserved until the caller has taken it, for a limited time. */
  keepUntilSent(res: ServerResponse): void {
    const read = this.#read;
    if (!read || res.writableLength <= LARGE_REPLY_BYTES) return;
    const unsent = this.#memory.unsent.tryReserve(res.writableLength, this.#request.caller);
    if (unsent) return releaseOnceSent(unsent, res, MAX_SEND_MS);
    this.#read = undefined;
    releaseOnceSent(read, res, MAX_SEND_OVER_BUDGET_MS);
  }

  /** Returns all that does not wait for the caller. */
  release(): void {
    this.#parsed?.release();
    this.#read?.release();
  }
}

function releaseOnceSent(share: Share, res: ServerResponse, maxMs: number): void {
  const timer = setTimeout(() => res.req.socket.destroy(), maxMs);
  onceClosed(res, () => {
    clearTimeout(timer);
    share.release();
  });
}
