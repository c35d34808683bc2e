import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { commonErrors } from '@dtplatform/errors';

/** Cost of a hash: 2^LOG2_N × 128 × R bytes of memory (32 MiB), P times. */
const LOG2_N = 15;
const R = 8;
const P = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashes run in libuv's thread pool of four threads; two remain free for signing and DNS look-ups. */
const LIMITS = { maxRunning: 2, maxWaiting: 64 };

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes and checks passwords. Methods reject with `tooManyRequests` when the waiting queue is full. */
export function createPasswords({ maxRunning, maxWaiting } = LIMITS) {
  const limit = pLimit(maxRunning);
  const enqueue = (task: () => Promise<Buffer>): Promise<Buffer> => {
    if (limit.activeCount + limit.pendingCount >= maxRunning + maxWaiting) {
      throw commonErrors.tooManyRequests({ retryAfterSec: 2 });
    }
    return limit(task);
  };
  const dummy = format(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

  return {
    async hash(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      return format(salt, await enqueue(() => derive(password, salt, LOG2_N, R, P)));
    },
    /**
     * Whether the password belongs to the hash. Without a hash the result is false and takes the same time, so that a reply
     * does not reveal whether the user exists.
     */
    async matches(password: string, hash: string | undefined): Promise<boolean> {
      const [, log2N, r, p, salt, expected] = (hash ?? dummy).split('$');
      const stored = Buffer.from(expected!, 'base64url');
      const actual = await enqueue(() =>
        derive(password, Buffer.from(salt!, 'base64url'), Number(log2N), Number(r), Number(p)),
      );
      return timingSafeEqual(actual, stored) && hash !== undefined;
    },
  };
}

/** The cost parameters are stored with the hash, so that they can be raised without invalidating old hashes. */
const format = (salt: Buffer, hash: Buffer) =>
  `scrypt$${LOG2_N}$${R}$${P}$${salt.toString('base64url')}$${hash.toString('base64url')}`;

function derive(password: string, salt: Buffer, log2N: number, r: number, p: number): Promise<Buffer> {
  const N = 2 ** log2N;
  const options = { N, r, p, maxmem: 2 * 128 * N * r };
  return new Promise((resolve, reject) => {
    // Keyboards may compose the same characters differently.
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}
