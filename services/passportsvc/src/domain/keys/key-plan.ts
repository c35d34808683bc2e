import type { StoredKey } from './stored-key.js';

export type SigningAlgorithm = 'ES256' | 'RS256';

export interface KeyTimes {
  /** How long a new key is published before it signs, so that every verifier knows it by then. */
  leadMs: number;
  /** Lifetime of an access token at most. */
  tokenTtlMs: number;
}

/** A signing key and its place in the sequence of keys. */
export interface PlannedKey {
  key: StoredKey;
  algorithm: SigningAlgorithm;
  /** `next`: published, does not sign yet; `verifying`: its last tokens have not expired; `expired`: no longer published. */
  state: 'next' | 'signing' | 'verifying' | 'expired';
  activeFrom: number;
  /** When it is withdrawn; undefined for the newest key. */
  until?: number;
}

/**
 * The keys, oldest first, and what each is for at a time. It follows from what is stored alone, so that all processes agree
 * without telling one another. A withdrawn key was replaced at least one token lifetime ago. It stays published for the lead
 * time longer: a process may learn late that it was replaced.
 */
export function planKeys(keys: readonly StoredKey[], now: number, { leadMs, tokenTtlMs }: KeyTimes): PlannedKey[] {
  const inOrder = [...keys].sort((a, b) => a.activeFrom - b.activeFrom || (a._id < b._id ? -1 : 1));
  const started = inOrder.filter((key) => key.activeFrom <= now).length;
  const signing = Math.max(0, started - 1);
  return inOrder.map((key, index) => {
    const successor = inOrder[index + 1];
    const until = successor && successor.activeFrom + tokenTtlMs + leadMs;
    const isExpired = until !== undefined && until <= now;
    const state = index > signing ? 'next' : index === signing ? 'signing' : isExpired ? 'expired' : 'verifying';
    return { key, algorithm: algorithmOf(key), state, activeFrom: key.activeFrom, until };
  });
}

/** When the plan of these keys changes next. */
export const nextChange = (plan: readonly PlannedKey[], now: number): number =>
  Math.min(...plan.flatMap(({ activeFrom, until }) => [activeFrom, until ?? Infinity]).filter((time) => time > now));

const algorithmOf = ({ _id }: StoredKey) => _id.split('-')[0] as SigningAlgorithm;
