import { createByteBudget } from '@dtplatform/budget';
import type { ByteBudget, Share } from '@dtplatform/budget';
import { commonErrors } from '@dtplatform/errors';

const MIB = 1024 * 1024;

/** Bodies that are being received, and wait to be parsed. */
const RECEIVED_BYTES = 64 * MIB;
/** Bodies that are being parsed and handled: values take several times the memory of their text. */
const PARSED_BYTES = 12 * MIB;
/** Replies of the database that are on their way. */
const ARRIVING_BYTES = 48 * MIB;
/** What requests have read and hold until they are answered. */
const KEPT_BYTES = 48 * MIB;
/** Large replies that their callers have not taken yet. */
const UNSENT_BYTES = 32 * MIB;

const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SEC = 5;

/**
 * The memory of one process that its requests share. Requests wait for it in the order of the fields: who holds `received`
 * may wait for `parsed`, and who holds `kept` for `arriving`, never the reverse.
 */
export interface RequestMemory {
  received: ByteBudget;
  parsed: ByteBudget;
  arriving: ByteBudget;
  kept: ByteBudget;
  unsent: ByteBudget;
  /** How long a request waits for its share. */
  maxWaitMs: number;
}

export const createRequestMemory = ({ maxWaitMs = MAX_WAIT_MS } = {}): RequestMemory => ({
  maxWaitMs,
  received: createByteBudget(RECEIVED_BYTES),
  parsed: createByteBudget(PARSED_BYTES),
  arriving: createByteBudget(ARRIVING_BYTES),
  kept: createByteBudget(KEPT_BYTES),
  unsent: createByteBudget(UNSENT_BYTES),
});

/** The request that memory is reserved for. */
export interface Reserving {
  caller: string;
  /** Aborted when the caller disconnects. Created on first use. */
  readonly signal: AbortSignal;
}

/** 503 */
export const outOfMemory = (cause?: unknown) => commonErrors.unavailable({ retryAfterSec: RETRY_AFTER_SEC, cause });

/** Reserves memory, and waits for it if necessary. @throws 503 when that takes too long */
export function reserve(
  memory: RequestMemory,
  kind: 'received' | 'parsed' | 'arriving' | 'kept',
  bytes: number,
  request: Reserving,
): Share | Promise<Share> {
  const budget = memory[kind];
  return budget.tryReserve(bytes, request.caller) ?? wait(budget, bytes, request, memory.maxWaitMs);
}

async function wait(
  budget: ByteBudget,
  bytes: number,
  { caller, signal }: Reserving,
  maxWaitMs: number,
): Promise<Share> {
  // Not AbortSignal.timeout, whose timer outlives the wait: a busy process would hold thousands.
  const limit = new AbortController();
  const giveUp = () => limit.abort();
  const timer = setTimeout(giveUp, maxWaitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await budget.reserve(bytes, caller, limit.signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw outOfMemory(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
