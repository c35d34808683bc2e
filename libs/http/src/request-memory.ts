import type { ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { createByteBudget } from '@dtplatform/budget';
import type { ByteBudget, Share } from '@dtplatform/budget';
import { commonErrors } from '@dtplatform/errors';
import type { ReadMemory, ReadShare } from '@dtplatform/telemetry';
import { onceClosed } from './request.js';
import type { RequestBounds } from './request.js';

const MIB = 1024 * 1024;

/** Bodies being received or waiting to be parsed. */
const RECEIVED_BYTES = 32 * MIB;
/** Parsed bodies, query results, and responses that callers have not taken yet. */
const WORKING_BYTES = 48 * MIB;
/** Small database responses in flight. */
const ARRIVING_BYTES = 16 * MIB;

const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SEC = 5;

/**
 * The memory of one process that its requests share. Requests acquire it in the order of the fields, which prevents
 * deadlocks: a holder of `received` may wait for `working`, a holder of `working` for `beyond` or `arriving`, never the
 * reverse.
 */
export interface RequestMemory {
  received: ByteBudget;
  working: ByteBudget;
  /** Held by the one request that may exceed `working`, so that it never waits for the others. */
  beyond: ByteBudget;
  arriving: ByteBudget;
  /** How long a request waits for its share. */
  maxWaitMs: number;
}

export const createRequestMemory = ({ maxWaitMs = MAX_WAIT_MS } = {}): RequestMemory => ({
  maxWaitMs,
  received: createByteBudget(RECEIVED_BYTES),
  working: createByteBudget(WORKING_BYTES),
  beyond: createByteBudget(1),
  arriving: createByteBudget(ARRIVING_BYTES),
});

/** Reserves memory, waiting if necessary. @throws 503 when that takes too long */
async function reserve(
  memory: RequestMemory,
  kind: 'received' | 'working' | 'beyond' | 'arriving',
  bytes: number,
  request: RequestBounds,
): Promise<Share> {
  const { caller } = request;
  const share = memory[kind].tryReserve(bytes, caller);
  if (share) return share;
  const { signal } = request;
  // Not AbortSignal.timeout, whose timer outlives the wait: a busy process would keep thousands.
  const limit = new AbortController();
  const giveUp = () => limit.abort();
  const timer = setTimeout(giveUp, memory.maxWaitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await memory[kind].reserve(bytes, caller, limit.signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw commonErrors.unavailable({ retryAfterSec: RETRY_AFTER_SEC, cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** Small reads need no reservation up to this total. */
const FREE_BYTES = 64 * 1024;
/** Memory of a parsed body, as a multiple of its text. */
const PARSED_FACTOR = 4;
/** Responses above this size count as memory of the request until the caller has taken them. */
const LARGE_REPLY_BYTES = 256 * 1024;
const MAX_SEND_MS = 60_000;
/** Shorter limit while requests wait for memory and no caller holds more than this one. */
const MAX_SEND_IF_WANTED_MS = 2_000;

/** The memory that one request has reserved (docs/adr/0011-memory-budgets.md). */
export class RequestShares implements ReadMemory {
  readonly #memory: RequestMemory;
  readonly #request: RequestBounds;
  readonly #shares = new Set<Share>();
  /** Set while this request may exceed the budget. */
  #beyond: Share | undefined;
  #smallBytes = 0;
  /** Waits are sequential: two concurrent waits of one request could deadlock. */
  #lastWait: Promise<unknown> | undefined;
  #isOver = false;
  waitedMs = 0;
  /** Calls from other services do not wait: they serve requests that may already hold memory. */
  waits = true;

  constructor(memory: RequestMemory, request: RequestBounds) {
    this.#memory = memory;
    this.#request = request;
  }

  /**
   * Reserves memory for a body that is being received; the caller releases it. @throws 503 when the wait takes too long
   */
  receive(bytes: number): Promise<Share> {
    return reserve(this.#memory, 'received', bytes, this.#request);
  }

  /** Reserves memory for a body that is parsed and handled. @throws 503 when the wait takes too long */
  async parse(bytes: number): Promise<void> {
    await this.#reserve(bytes * PARSED_FACTOR);
  }

  async reserve(kind: 'small' | 'large', maxBytes: number): Promise<ReadShare> {
    if (kind === 'small') {
      const share = await this.#waiting(() => reserve(this.#memory, 'arriving', maxBytes, this.#request));
      return { keep: async (bytes) => this.#tryKeep(bytes), release: () => share.release() };
    }
    const share = await this.#reserve(maxBytes);
    return {
      keep: async (bytes) => {
        const holdsMore = this.#shares.size > 1 || this.#beyond;
        if (bytes > maxBytes && !holdsMore) return false;
        if (bytes > maxBytes) await this.#reserve(bytes - maxBytes);
        this.#take(Math.min(bytes, maxBytes));
        return true;
      },
      release: () => {
        this.#shares.delete(share);
        share.release();
      },
    };
  }

  #tryKeep(bytes: number): boolean {
    this.#smallBytes += bytes;
    if (this.#smallBytes <= FREE_BYTES) return true;
    const { usedBytes, totalBytes } = this.#memory.working;
    if (this.waits && usedBytes + bytes > totalBytes) return false;
    this.#take(bytes);
    return true;
  }

  async #reserve(bytes: number): Promise<Share> {
    if (!this.waits) return this.#take(bytes);
    const share = this.#memory.working.tryReserve(bytes, this.#request.caller);
    if (share) return this.#add(share);
    const wait = Promise.allSettled([this.#lastWait]).then(() => this.#waiting(() => this.#wait(bytes)));
    this.#lastWait = wait;
    return wait;
  }

  async #wait(bytes: number): Promise<Share> {
    if (this.#shares.size === 0 && !this.#beyond)
      return this.#add(await reserve(this.#memory, 'working', bytes, this.#request));
    this.#beyond ??= await reserve(this.#memory, 'beyond', 1, this.#request);
    return this.#take(bytes);
  }

  async #waiting<T>(wait: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    const result = await wait();
    this.waitedMs += performance.now() - startMs;
    return result;
  }

  #take(bytes: number): Share {
    return this.#add(this.#memory.working.take(bytes, this.#request.caller));
  }

  #add(share: Share): Share {
    this.#shares.add(share);
    // Work that continues after the response would never release it.
    if (this.#isOver) this.release();
    return share;
  }

  /** Keeps a large response's memory reserved until the caller has taken it, for a limited time. */
  holdUntilSent(res: ServerResponse): void {
    const { writableLength } = res;
    if (writableLength <= LARGE_REPLY_BYTES) return;
    const { working, beyond } = this.#memory;
    const { caller } = this.#request;
    const held = [working.take(writableLength, caller), this.#beyond];
    this.#beyond = undefined;
    const endMs = performance.now() + MAX_SEND_MS;
    const isWanted = () => working.isWantedFrom(caller) || beyond.isWantedFrom(caller);
    const timer = setInterval(() => {
      if (isWanted() || performance.now() > endMs) res.req.socket.destroy();
    }, MAX_SEND_IF_WANTED_MS);
    onceClosed(res, () => {
      clearInterval(timer);
      for (const share of held) share?.release();
    });
  }

  release(): void {
    for (const share of this.#shares) share.release();
    this.#shares.clear();
    this.#beyond?.release();
    this.#beyond = undefined;
  }

  /** Releases everything, now and for later reservations: the response was sent. */
  end(): void {
    this.#isOver = true;
    this.release();
  }
}

type Budgets = Map<string, ByteBudget>;

const measured = new WeakMap<Registry, Budgets>();

/** Adds memory budgets to the metrics of a process, labelled by purpose. */
export function measureBudgets(registry: Registry, budgets: Record<string, ByteBudget>): void {
  const all = measured.get(registry) ?? measure(registry);
  for (const [name, budget] of Object.entries(budgets)) all.set(name, budget);
}

function measure(registry: Registry): Budgets {
  const budgets: Budgets = new Map();
  measured.set(registry, budgets);
  const gauge = (name: string, help: string, read: (budget: ByteBudget) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['budget'],
      registers: [registry],
      collect() {
        for (const [name, budget] of budgets) this.set({ budget: name }, read(budget));
      },
    });
  gauge('memory_budget_bytes', 'Memory that can be reserved, by use.', ({ totalBytes }) => totalBytes);
  gauge('memory_budget_used_bytes', 'Memory currently reserved.', ({ usedBytes }) => usedBytes);
  gauge('memory_budget_waiting', 'Requests waiting for memory.', (budget) => budget.waiting());
  return budgets;
}
