import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** A new app secret: 256 random bits, in characters that need no escaping anywhere. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** What is stored of a secret. Secrets are random, so that a keyed hash is enough: there is nothing to guess. */
export const hashSecret = (secret: string, key: Buffer): string =>
  createHmac('sha256', key).update(secret).digest('base64url');

/** Whether a secret is the one that a stored hash was made of; takes the same time for all wrong ones. */
export function secretMatches(secret: string, hash: string, key: Buffer): boolean {
  const actual = Buffer.from(hashSecret(secret, key));
  const expected = Buffer.from(hash);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
