import { createLeases, keepLease } from '@dtplatform/lease';
import type { LeaseState } from '@dtplatform/lease';
import type { Mongo } from './connect.js';
import { defineModel, id, json, number, part, text } from './model.js';

const KEPT_FOR_MS = 24 * 3600 * 1000;
/** A request whose process died frees its key after this time. */
const CLAIM_MS = 30_000;
/** Processes of the previous version recognize their key by it; without it they cannot store a reply any more. */
const FORMER_OWNER = { owner: '$$REMOVE' };

interface IdempotencyKey {
  _id: string;
  fingerprint: string;
  lease: LeaseState;
  reply?: object;
  expiresAt: Date;
}

/** Requests with an idempotency key: those that run, and the replies of the last day. */
export const idempotencyKeyModel = defineModel<IdempotencyKey>('idempotency_keys', {
  _id: id,
  fingerprint: text,
  lease: part<LeaseState>({ fence: number, until: Date }),
  reply: json,
  expiresAt: Date,
});
idempotencyKeyModel.schema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });

/** Keeps the replies of requests with an idempotency key for a day. */
export function createIdempotencyStore<R extends object>(mongo: Mongo, { claimMs = CLAIM_MS } = {}) {
  const keys = mongo.model(idempotencyKeyModel);
  const leases = createLeases(keys, { ttlMs: claimMs });

  /** The key for this request alone; undefined while another has it, or when it has a reply. */
  const claim = (key: string, fingerprint: string) => {
    const isUnanswered = { lease: { $exists: true }, reply: { $exists: false } };
    const isExpired = { $expr: { $lte: ['$expiresAt', '$$NOW'] } };
    const expiresAt = { $add: ['$$NOW', KEPT_FOR_MS] };
    const set = { fingerprint: { $literal: fingerprint }, reply: '$$REMOVE', expiresAt, ...FORMER_OWNER };
    return leases.claim({ _id: key, $or: [isUnanswered, isExpired] }, { set, upsert: true });
  };

  /** What a request does with the key that it has. */
  function held(entry: IdempotencyKey) {
    const kept = keepLease(leases, entry);
    return {
      async finish(reply: R): Promise<void> {
        kept.stop();
        await leases.write(entry, { $set: { reply, expiresAt: inMs(KEPT_FOR_MS) } }, { release: true });
      },
      /** The request failed: the key is free again. */
      async forget(): Promise<void> {
        kept.stop();
        await keys.deleteOne(leases.heldBy(entry) as never);
      },
    };
  }

  return {
    /** Begins a request, or reports the reply of the first request with this key, or that it still runs. */
    async begin(key: string, fingerprint: string) {
      const claimed = await claim(key, fingerprint);
      if (claimed) return held(claimed);
      const entry = await keys.findById(key).lean();
      return entry?.reply ? { fingerprint: entry.fingerprint, reply: entry.reply as R } : ('running' as const);
    },
  };
}

const inMs = (timeMs: number) => new Date(Date.now() + timeMs);
