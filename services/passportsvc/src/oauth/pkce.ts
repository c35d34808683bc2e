import { createHash } from 'node:crypto';

/** The contract's 16 to 64 characters joined with RFC 7636's 43 to 128. */
const VERIFIER = /^[\x21-\x7e]{16,128}$/;

export const isVerifier = (verifier: string): boolean => VERIFIER.test(verifier);

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/**
 * A challenge in base64url without padding. Clients also send it as plain base64, padded or not; in a query that was not
 * escaped, its `+` has become a space.
 */
export const normalChallenge = (challenge: string): string =>
  challenge.replace(/[+ ]/g, '-').replace(/\//g, '_').replace(/=+$/, '');
