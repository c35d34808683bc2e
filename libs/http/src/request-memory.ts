import { createByteBudget } from '@dtplatform/budget';
import type { ByteBudget, Share } from '@dtplatform/budget';
import { commonErrors } from '@dtplatform/errors';

const MIB = 1024 * 1024;

/** Bodies that are being received, and wait to be parsed. */
const RECEIVED_BYTES = 64 * MIB;
/** Bodies that are being parsed and handled: values take several times the memory of their text. */
const PARSED_BYTES = 12 * MIB;
/** Operations that read what is stored, by the most that one of them may read. */
const READ_BYTES = 128 * MIB;
export const MAX_READ_BYTES = 16 * MIB;

const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SEC = 5;

/** The memory of one process that its requests share. Who holds `received` may wait for `parsed`, never the reverse. */
export interface RequestMemory {
  received: ByteBudget;
  parsed: ByteBudget;
  read: ByteBudget;
}

export const createRequestMemory = (): RequestMemory => ({
  received: createByteBudget(RECEIVED_BYTES),
  parsed: createByteBudget(PARSED_BYTES),
  read: createByteBudget(READ_BYTES),
});

/** The request that memory is reserved for. */
interface Reserving {
  caller: string;
  /** Aborted when the caller disconnects. Created on first use. */
  readonly signal: AbortSignal;
}

/** Reserves memory, and waits for it if necessary. @throws 503 when that takes too long */
export function reserve(budget: ByteBudget, bytes: number, request: Reserving): Share | Promise<Share> {
  return budget.tryReserve(bytes, request.caller) ?? wait(budget, bytes, request);
}

async function wait(budget: ByteBudget, bytes: number, { caller, signal }: Reserving): Promise<Share> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  try {
    return await budget.reserve(bytes, caller, limit);
  } catch (error) {
    throw commonErrors.unavailable({ retryAfterSec: RETRY_AFTER_SEC, cause: error });
  }
}
