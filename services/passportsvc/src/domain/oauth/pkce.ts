import { createHash } from 'node:crypto';

/** The contract allows 16 to 64 characters, RFC 7636 allows 43 to 128: both are accepted. */
const VERIFIER = /^[\x21-\x7e]{16,128}$/;

export const isVerifier = (verifier: string): boolean => VERIFIER.test(verifier);

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/**
 * A challenge in base64url without padding. Some clients send plain base64, padded or not; a `+` that was not escaped in
 * the query arrives as a space.
 */
export const normalChallenge = (challenge: string): string =>
  challenge.replace(/[+ ]/g, '-').replace(/\//g, '_').replace(/=+$/, '');
