import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** A new app secret: 256 random bits, in characters that never need escaping. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The stored form of a secret. Secrets are random, so a keyed hash is enough: there is nothing to guess. */
export const hashSecret = (secret: string, key: Buffer): string =>
  createHmac('sha256', key).update(secret).digest('base64url');

/** Whether a secret matches a stored hash, in constant time. */
export function secretMatches(secret: string, hash: string, key: Buffer): boolean {
  const actual = Buffer.from(hashSecret(secret, key));
  const expected = Buffer.from(hash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
