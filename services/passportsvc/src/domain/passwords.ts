import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { commonErrors } from '@dtplatform/errors';

/** Hashes and checks passwords. */
export interface Passwords {
  /** @throws 429 when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether the password is the one that the hash was made of. Without a hash it takes the same time and is false, so
   * that an answer does not tell whether there is such a user.
   * @throws 429 when too many wait
   */
  matches(password: string, hash: string | undefined): Promise<boolean>;
}

/** Cost of a hash: 2^LOG2_N times 128 × R bytes of memory (32 MiB), P times over. */
const LOG2_N = 15;
const R = 8;
const P = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashes run in the thread pool, which has four threads; two are left for signing and name look-ups. */
const LIMITS = { maxRunning: 2, maxWaiting: 64 };

export function createPasswords({ maxRunning, maxWaiting } = LIMITS): Passwords {
  const inTurn = createTurns(maxRunning, maxWaiting);
  const nobody = format(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return format(salt, await inTurn(() => derive(password, salt, LOG2_N, R, P)));
    },
    async matches(password, hash) {
      const [, log2N, r, p, salt, expected] = (hash ?? nobody).split('$');
      const stored = Buffer.from(expected!, 'base64url');
      const actual = await inTurn(() =>
        derive(password, Buffer.from(salt!, 'base64url'), Number(log2N), Number(r), Number(p)),
      );
      return timingSafeEqual(actual, stored) && hash !== undefined;
    },
  };
}

/** The parameters stand with the hash, so that they can rise without making old hashes useless. */
const format = (salt: Buffer, hash: Buffer) =>
  `scrypt$${LOG2_N}$${R}$${P}$${salt.toString('base64url')}$${hash.toString('base64url')}`;

function derive(password: string, salt: Buffer, log2N: number, r: number, p: number): Promise<Buffer> {
  const N = 2 ** log2N;
  const options = { N, r, p, maxmem: 2 * 128 * N * r };
  return new Promise((resolve, reject) => {
    // NFC: the same password typed on another keyboard.
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}

/** Runs at most `maxRunning` tasks at once; of the others `maxWaiting` wait and the rest is refused. */
function createTurns(maxRunning: number, maxWaiting: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting) throw commonErrors.tooManyRequests({ retryAfterSec: 2 });
      // Whoever ends hands its place on, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
