import { createByteBudget } from '@dtplatform/budget';
import type { ByteBudget, Share } from '@dtplatform/budget';
import { commonErrors } from '@dtplatform/errors';

const MIB = 1024 * 1024;

/** Bodies that are being received, and wait to be parsed. */
const RECEIVED_BYTES = 32 * MIB;
/** What requests work with: bodies that were parsed, what was read, and replies that their callers have not taken yet. */
const WORKING_BYTES = 48 * MIB;
/** Small replies of the database that are on their way. */
const ARRIVING_BYTES = 16 * MIB;

const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SEC = 5;

/**
 * The memory of one process that its requests share. Requests wait for it in the order of the fields: who holds `received`
 * may wait for `working`, who holds that for `beyond` or `arriving`, never the reverse.
 */
export interface RequestMemory {
  received: ByteBudget;
  working: ByteBudget;
  /** Held by the one request that may exceed `working`: who holds a part of it and needs more never waits for the others. */
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

/** The request that memory is reserved for. */
export interface Reserving {
  caller: string;
  /** Aborted when the caller disconnects. Created on first use. */
  readonly signal: AbortSignal;
}

/** Reserves memory, and waits for it if necessary. @throws 503 when that takes too long */
export async function reserve(
  memory: RequestMemory,
  kind: 'received' | 'working' | 'beyond' | 'arriving',
  bytes: number,
  request: Reserving,
): Promise<Share> {
  const { caller } = request;
  const share = memory[kind].tryReserve(bytes, caller);
  if (share) return share;
  const { signal } = request;
  // Not AbortSignal.timeout, whose timer outlives the wait: a busy process would hold thousands.
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
