import type { ServerResponse } from 'node:http';
import type { Share } from '@dtplatform/budget';
import type { ReadMemory } from '@dtplatform/telemetry';
import { onceClosed } from './request-bounds.js';
import { outOfMemory, reserve } from './request-memory.js';
import type { RequestMemory, Reserving } from './request-memory.js';

/** Reads of so much in all need no reservation. */
const SMALL_READ_BYTES = 64 * 1024;
/** Above this, what a caller has not taken yet counts as memory of its request. */
const LARGE_REPLY_BYTES = 256 * 1024;
const MAX_SEND_MS = 60_000;
/** The same for callers that leave many of them: they must not keep others from reading. */
const MAX_SEND_OVER_BUDGET_MS = 2_000;

/** What one request has reserved of the memory of its process (docs/adr/0027, 0031). */
export class RequestShares implements ReadMemory {
  readonly #memory: RequestMemory;
  readonly #request: Reserving;
  #parsed: Share | undefined;
  /** For what was read: all that was expected at first, then each read that exceeds it. */
  #kept: Share[] = [];
  #keptBytes = SMALL_READ_BYTES;
  #readBytes = 0;
  #mayRepeat = false;
  #lacksMemory = false;
  #isOver = false;
  waitedMs = 0;

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

  /** Before a handler that may wait for long: by then it holds little of the body's text. */
  releaseParsed(): void {
    this.#parsed?.release();
  }

  async expect(bytes: number): Promise<Share> {
    const startMs = performance.now();
    const share = await reserve(this.#memory, 'arriving', bytes, this.#request);
    this.waitedMs += performance.now() - startMs;
    return share;
  }

  keep(bytes: number): void {
    // Work that continues after the reply would never return it.
    if (this.#isOver) return;
    this.#readBytes += bytes;
    const missing = this.#readBytes - this.#keptBytes;
    if (missing <= 0) return;
    const { kept } = this.#memory;
    const share = kept.tryReserve(missing, this.#request.caller);
    if (!share && this.#mayRepeat) {
      this.#lacksMemory = true;
      throw outOfMemory();
    }
    this.#kept.push(share ?? kept.take(missing, this.#request.caller));
    this.#keptBytes += missing;
  }

  /**
   * Runs work that only reads. If there is no memory for what it has read, that is dropped, and the work runs again
   * once there is: whoever waits for memory must not hold any. @throws 503 when the wait takes too long
   */
  async whileReading<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      const startMs = performance.now();
      const waitedMs = this.waitedMs;
      this.#mayRepeat = true;
      try {
        return await work();
      } catch (error) {
        if (!this.#lacksMemory) throw error;
      } finally {
        this.#mayRepeat = false;
      }
      await this.#makeRoom();
      this.waitedMs = waitedMs + performance.now() - startMs;
    }
  }

  async #makeRoom(): Promise<void> {
    const bytes = this.#readBytes;
    this.#readBytes = 0;
    this.#lacksMemory = false;
    this.releaseRead();
    this.#kept = [await reserve(this.#memory, 'kept', bytes, this.#request)];
    this.#keptBytes = bytes;
  }

  /** Before content is streamed: it was not read into memory. */
  releaseRead(): void {
    for (const share of this.#kept) share.release();
  }

  /** Keeps the memory of a large reply reserved until the caller has taken it, for a limited time. */
  keepUntilSent(res: ServerResponse): void {
    if (this.#kept.length === 0 || res.writableLength <= LARGE_REPLY_BYTES) return;
    const unsent = this.#memory.unsent.tryReserve(res.writableLength, this.#request.caller);
    if (unsent) return onceSent(res, MAX_SEND_MS, () => unsent.release());
    const kept = this.#kept;
    this.#kept = [];
    onceSent(res, MAX_SEND_OVER_BUDGET_MS, () => kept.forEach((share) => share.release()));
  }

  /** Returns all that does not wait for the caller. */
  release(): void {
    this.#isOver = true;
    this.#parsed?.release();
    this.releaseRead();
  }
}

/** Calls `end` once a response is complete. Its connection is closed if that takes too long. */
function onceSent(res: ServerResponse, maxMs: number, end: () => void): void {
  const timer = setTimeout(() => res.req.socket.destroy(), maxMs);
  onceClosed(res, () => {
    clearTimeout(timer);
    end();
  });
}
