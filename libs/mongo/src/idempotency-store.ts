import pTimeout from 'p-timeout';
import { commonErrors } from '@dtplatform/errors';
import { createLeases, keepLease } from '@dtplatform/lease';
import type { LeaseState } from '@dtplatform/lease';
import type { Mongo } from './connect.js';
import type { ClientSession } from './driver.js';
import { isTimeLimitExceeded } from './errors.js';
import { defineModel, id, json, number, part, text } from './model.js';
import { keyedRequest } from './transaction.js';
import type { KeyedRequest } from './transaction.js';

const KEPT_FOR_MS = 24 * 3600 * 1000;
/** A request whose process died frees its key after this time. */
const CLAIM_MS = 30_000;
/** A transaction whose process died holds its writes for a minute. */
const MAX_CLAIM_WAIT_MS = 1_000;
/** How long a failed request waits for what becomes of its writes. */
const MAX_ABORT_WAIT_MS = 1_000;

interface IdempotencyKey {
  _id: string;
  fingerprint: string;
  lease: LeaseState;
  reply?: object;
  expiresAt: Date;
}

/** Requests with an idempotency key: those that run, and the responses of the last day. */
export const idempotencyKeyModel = defineModel<IdempotencyKey>(
  'idempotency_keys',
  {
    _id: id,
    fingerprint: text,
    lease: part<LeaseState>({ fence: number, until: Date }),
    reply: json,
    expiresAt: Date,
  },
  { indexes: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }] },
);
/** How the responds to a request are made. */
interface RouteResponses<T, R> {
  /** What is kept of the response. */
  keep: (result: T) => R;
  /** The response to what an early commit wrote (`TransactionOptions.early`). */
  early: (written: unknown) => R;
}

/** Keeps the responses of requests with an idempotency key for a day. What a request writes is committed with its response. */
export function createIdempotencyStore<R extends object>(mongo: Mongo, { claimMs = CLAIM_MS } = {}) {
  const keys = mongo.model(idempotencyKeyModel);
  const leases = createLeases(keys, { ttlMs: claimMs });

  /** The key for this request alone; undefined while another has it, or when it has a response. */
  const claim = (key: string, fingerprint: string) => {
    const isUnanswered = { reply: { $exists: false } };
    const isExpired = { $expr: { $lte: ['$expiresAt', '$$NOW'] } };
    const expiresAt = { $add: ['$$NOW', KEPT_FOR_MS] };
    const set = { fingerprint: { $literal: fingerprint }, reply: '$$REMOVE', expiresAt };
    const filter = { _id: key, $or: [isUnanswered, isExpired] };
    return leases.claim(filter, { set, upsert: true, maxTimeMS: MAX_CLAIM_WAIT_MS }).catch((error: unknown) => {
      if (!isTimeLimitExceeded(error)) throw error;
      return undefined;
    });
  };

  const writeResponse = (entry: IdempotencyKey, response: R, options: { release: boolean; session?: ClientSession }) =>
    leases.write(entry, { $set: { reply: response, expiresAt: inMs(KEPT_FOR_MS) } }, options);

  /** A request without a transaction, or with an early one, has succeeded whether its response can be stored or not. */
  async function finish(entry: IdempotencyKey, request: KeyedRequest<R>, response: R): Promise<void> {
    if (await request.commit(response)) return;
    await writeResponse(entry, response, { release: true }).catch(() => undefined);
  }

  /** Frees the key if nothing is committed. If that remains unknown, the key is claimed until the lease expires. */
  async function release(entry: IdempotencyKey, request: KeyedRequest<R>, stop: () => void): Promise<void> {
    const outcome = await request.abort();
    stop();
    if (outcome === 'aborted') await keys.deleteOne(leases.heldBy(entry) as never);
    else if (outcome === 'committed') await leases.release(entry);
  }

  /** A request that has its key for itself. */
  const held = (entry: IdempotencyKey) => ({
    /** Runs it. What it writes in a transaction and its response are committed together, or not at all. */
    async run<T>(work: () => Promise<T>, { keep, early }: RouteResponses<T, R>): Promise<T> {
      const kept = keepLease(leases, entry);
      const record = async (session: ClientSession, response: R, isFinal: boolean) => {
        if (await writeResponse(entry, response, { release: isFinal, session })) return;
        throw commonErrors.conflict({ message: 'A repetition of the request has taken its idempotency key over.' });
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
    /** Begins a request, or reports the response of the first request with this key, or that it still runs. */
    async begin(key: string, fingerprint: string) {
      const claimed = await claim(key, fingerprint);
      if (claimed) return held(claimed);
      const entry = await keys.findById(key).lean();
      if (!entry?.reply || isHeld(entry)) return 'running' as const;
      return { fingerprint: entry.fingerprint, reply: entry.reply as R };
    },
  };
}

/** With a response, after an early commit. The clock of this process decides only between two answers that are both true. */
const isHeld = ({ lease }: IdempotencyKey) => lease.until !== undefined && lease.until.getTime() > Date.now();

const inMs = (timeMs: number) => new Date(Date.now() + timeMs);
