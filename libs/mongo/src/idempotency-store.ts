import pTimeout from 'p-timeout';
import { commonErrors } from '@dtplatform/errors';
import { createLeases, keepLease } from '@dtplatform/lease';
import type { LeaseState } from '@dtplatform/lease';
import type { Mongo } from './connect.js';
import type { ClientSession } from './driver.js';
import { isTimeLimitExceeded } from './errors.js';
import { defineModel, id, json, newId, number, part, text } from './model.js';
import { keyedRequest } from './transaction.js';
import type { KeyedRequest } from './transaction.js';

const KEPT_FOR_MS = 24 * 3600 * 1000;
/** If its process died, a request frees its key after this time. */
const CLAIM_MS = 30_000;
/** A transaction whose process died keeps its locks for a minute. */
const MAX_CLAIM_WAIT_MS = 1_000;
/** Attempts to claim a key that nobody holds, on a slow database. */
const MAX_CLAIMS = 3;
/** How long a failed request waits for the outcome of its writes. */
const MAX_ABORT_WAIT_MS = 1_000;

interface IdempotencyKey {
  _id: string;
  fingerprint: string;
  lease: LeaseState;
  /** The id of the request that claimed the key last. */
  claim?: string;
  reply?: object;
  expiresAt: Date;
}

/** Requests with an idempotency key: running ones, and the responses of the last day. */
export const idempotencyKeyModel = defineModel<IdempotencyKey>(
  'idempotency_keys',
  {
    _id: id,
    fingerprint: text,
    lease: part<LeaseState>({ fence: number, until: Date }),
    claim: text,
    reply: json,
    expiresAt: Date,
  },
  { indexes: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }] },
);
/** How the responses to a request are created. */
interface RouteResponses<T, R> {
  /** The part of the response that is stored. */
  keep: (result: T) => R;
  /** The response after an early commit (`TransactionOptions.early`). */
  early: (written: unknown) => R;
}

/** Stores the responses of requests with an idempotency key for a day, in the same commit as the request's writes. */
export function createIdempotencyStore<R extends object>(
  mongo: Mongo,
  { claimMs = CLAIM_MS, maxClaimWaitMs = MAX_CLAIM_WAIT_MS } = {},
) {
  const keys = mongo.model(idempotencyKeyModel);
  const leases = createLeases(keys, { ttlMs: claimMs });

  /**
   * Claims the key; undefined while another request holds it or once it has a response. `timeout` may come after the
   * write, while it waits for the majority.
   */
  const tryClaim = (key: string, fingerprint: string, claim: string) => {
    const isUnanswered = { reply: { $exists: false } };
    const isExpired = { $expr: { $lte: ['$expiresAt', '$$NOW'] } };
    const expiresAt = { $add: ['$$NOW', KEPT_FOR_MS] };
    const set = { fingerprint: { $literal: fingerprint }, claim, reply: '$$REMOVE', expiresAt };
    const filter = { _id: key, $or: [isUnanswered, isExpired] };
    return leases.claim(filter, { set, upsert: true, maxTimeMS: maxClaimWaitMs }).catch(timedOut);
  };

  /** Takes over an own claim that timed out after its write. */
  const takeOwn = async (_id: string, claim: string) => {
    const own = await leases.claim({ _id, claim }, { takeOver: true, maxTimeMS: maxClaimWaitMs }).catch(timedOut);
    return own === 'timeout' ? undefined : own;
  };

  const writeResponse = (entry: IdempotencyKey, response: R, options: { release: boolean; session?: ClientSession }) =>
    leases.write(entry, { $set: { reply: response, expiresAt: inMs(KEPT_FOR_MS) } }, options);

  /** A request without a transaction, or with an early one, has succeeded whether or not its response can be stored. */
  async function finish(entry: IdempotencyKey, request: KeyedRequest<R>, response: R): Promise<void> {
    if (await request.commit(response)) return;
    await writeResponse(entry, response, { release: true }).catch(() => undefined);
  }

  /** Frees the key if nothing was committed. If that remains unknown, the key stays claimed until the lease expires. */
  async function release(entry: IdempotencyKey, request: KeyedRequest<R>, stop: () => void): Promise<void> {
    const outcome = await request.abort();
    stop();
    if (outcome === 'aborted') await keys.deleteOne(leases.heldBy(entry) as never);
    else if (outcome === 'committed') await leases.release(entry);
  }

  /** A request that holds its key. */
  const held = (entry: IdempotencyKey) => ({
    /** Runs the request. The writes in its transaction and its response are committed together or not at all. */
    async run<T>(work: () => Promise<T>, { keep, early }: RouteResponses<T, R>): Promise<T> {
      const kept = keepLease(leases, entry);
      const record = async (session: ClientSession, response: R, isFinal: boolean) => {
        if (await writeResponse(entry, response, { release: isFinal, session })) return;
        throw commonErrors.conflict({ message: 'A retry of the request has taken over its idempotency key.' });
      };
      const request = keyedRequest(mongo, record, early);
      const stop = () => kept.stop();
      try {
        const result = await request.run(work);
        await finish(entry, request, keep(result));
        stop();
        return result;
      } catch (error) {
        const released = release(entry, request, stop).catch(stop);
        await pTimeout(released, { milliseconds: MAX_ABORT_WAIT_MS, fallback: () => undefined });
        throw error;
      }
    },
  });

  return {
    /**
     * Claims the key, or reports the first response or that the first request is still running.
     * @throws 503 when the database is too slow to claim a key that nobody holds
     */
    async begin(key: string, fingerprint: string) {
      const claim = newId();
      let isSlow = false;
      for (let attempt = 1; attempt <= MAX_CLAIMS; attempt += 1) {
        const tried = await tryClaim(key, fingerprint, claim);
        isSlow ||= tried === 'timeout';
        if (tried && tried !== 'timeout') return held(tried);
        const own = isSlow ? await takeOwn(key, claim) : undefined;
        if (own) return held(own);
        const entry = await keys.findById(key).lean();
        if (!entry || (entry.reply && entry.expiresAt <= new Date())) continue;
        if (!entry.reply || isHeld(entry)) return 'running' as const;
        return { fingerprint: entry.fingerprint, reply: entry.reply as R };
      }
      throw commonErrors.unavailable({ retryAfterSec: 1 });
    },
  };
}

function timedOut(error: unknown): 'timeout' {
  if (!isTimeLimitExceeded(error)) throw error;
  return 'timeout';
}

/** Has a response after an early commit. This process's clock only chooses between two valid outcomes. */
const isHeld = ({ lease }: IdempotencyKey) => lease.until !== undefined && lease.until.getTime() > Date.now();

const inMs = (timeMs: number) => new Date(Date.now() + timeMs);
