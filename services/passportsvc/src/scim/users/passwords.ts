import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { commonErrors } from '@dtplatform/errors';
import { createHashProcess } from './hash-process.js';

/** Cost of a hash: 2^LOG2_N × 128 × R bytes of memory (32 MiB), P times. */
const LOG2_N = 15;
const R = 8;
const P = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Concurrent hashes: one core remains for requests, and each hash takes 32 MiB. More wait in a queue. */
const LIMITS = { maxRunning: Math.min(2, Math.max(1, availableParallelism() - 1)), maxWaiting: 64 };

export type Passwords = ReturnType<typeof createPasswords>;

/** Methods reject with `tooManyRequests` when the queue is full. */
export function createPasswords({ maxRunning, maxWaiting } = LIMITS) {
  const limit = pLimit(maxRunning);
  const hashing = createHashProcess(maxRunning);
  const dummy = format(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

  function derive(password: string, salt: Buffer, log2N: number, r: number, p: number): Promise<Buffer> {
    if (limit.activeCount + limit.pendingCount >= maxRunning + maxWaiting) {
      throw commonErrors.tooManyRequests({ retryAfterSec: 2 });
    }
    const N = 2 ** log2N;
    const options = { N, r, p, maxmem: 2 * 128 * N * r };
    // Keyboards may compose the same characters differently.
    const task = { password: password.normalize('NFC'), salt, length: HASH_BYTES, options };
    return limit(() => hashing.hash(task));
  }

  return {
    async hash(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      return format(salt, await derive(password, salt, LOG2_N, R, P));
    },
    /**
     * Whether the password belongs to the hash. Without a hash, returns false after the same time, so that it does not
     * reveal whether the user exists.
     */
    async matches(password: string, hash: string | undefined): Promise<boolean> {
      const [, log2N, r, p, salt, expected] = (hash ?? dummy).split('$');
      const stored = Buffer.from(expected!, 'base64url');
      const cost = [log2N, r, p].map(Number) as [number, number, number];
      const actual = await derive(password, Buffer.from(salt!, 'base64url'), ...cost);
      return timingSafeEqual(actual, stored) && hash !== undefined;
    },
    close: hashing.close,
  };
}

/** Stores the cost parameters with the hash, so that they can be raised without invalidating old hashes. */
const format = (salt: Buffer, hash: Buffer) =>
  `scrypt$${LOG2_N}$${R}$${P}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
