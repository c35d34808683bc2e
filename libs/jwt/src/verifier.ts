import type { IncomingHttpHeaders } from 'node:http';
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { commonErrors } from '@dtplatform/errors';
import { principalOf } from './principal.js';
import type { Principal } from './principal.js';

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The token of an `Authorization: Bearer` header (RFC 6750, section 2.1). */
export function bearerToken(headers: IncomingHttpHeaders, name = 'authorization'): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? BEARER.exec(value)?.[1] : undefined;
}

const FETCH_TIMEOUT_MS = 3000;
/** Minimum interval between fetches that unknown key ids trigger. */
const REFETCH_COOLDOWN_MS = 5000;

/** Public keys fetched from a key server. */
export type RemoteKeys = JWTVerifyGetKey & {
  /** Resolves once the key set has been fetched. Until then, each call fetches it. */
  ready: () => Promise<void>;
};

/**
 * The keys of a JWKS URL, fetched again every ten minutes, so that a withdrawn key is not trusted for longer. While the
 * key server is unavailable, the last known keys stay valid, so that services do not fail with it.
 */
export function remoteKeys(url: URL): RemoteKeys {
  const remote = createRemoteJWKSet(url, { timeoutDuration: FETCH_TIMEOUT_MS, cooldownDuration: REFETCH_COOLDOWN_MS });
  const find: JWTVerifyGetKey = async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      const known = remote.jwks();
      if (!known || !isKeyServerUnavailable(error)) throw error;
      return createLocalJWKSet(known)(header, token).catch(() => {
        // The key may be valid, but cannot be fetched now.
        throw error;
      });
    }
  };
  const ready = async () => {
    if (!remote.jwks()) await remote.reload();
  };
  return Object.assign(find, { ready });
}

/** Any error other than jose's verdict on the token means that fetching the keys failed. */
function isKeyServerUnavailable(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  return (
    error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC'
  );
}

/** Verifies an access token. @throws a 401, or a 503 while the keys cannot be fetched */
export type TokenVerifier = (token: string) => Promise<Principal> | Principal;

interface Expected {
  /** The expected `iss`. */
  issuer: string;
  /** The expected `aud` (RFC 9068, section 4): tokens issued for another audience are rejected. */
  audience: string;
}

interface VerifierOptions {
  /** A JWKS URL, or a key resolver of jose. */
  keys: URL | JWTVerifyGetKey;
  /** Called per token with whether its verification was cached. */
  onLookup?: (isHit: boolean) => void;
}

const MAX_TOKEN_LENGTH = 8192;
const CACHED_TOKENS = 10_000;
/** Maximum clock skew between the issuer and this process. */
const CLOCK_TOLERANCE_SEC = 60;

/**
 * Verifies the platform's access tokens: signed with ES256 or RS256, expected issuer and audience, not expired, with a
 * minute of clock tolerance. Caches verified tokens until they expire, because verifying a signature costs more than
 * the rest of a small request.
 */
export function createVerifier(options: Expected & VerifierOptions): TokenVerifier {
  const keys = options.keys instanceof URL ? remoteKeys(options.keys) : options.keys;
  const verified = new LRUCache<string, Principal>({ max: CACHED_TOKENS });

  async function verify(token: string): Promise<Principal> {
    if (token.length > MAX_TOKEN_LENGTH) throw malformed();
    const principal = principalOf(await verifiedClaims(token, keys, options), token);
    if (!principal || isFromTheFuture(principal)) throw unknown();
    if (hasExpired(principal)) throw expired();
    verified.set(token, principal);
    return principal;
  }

  return (token) => {
    const known = verified.get(token);
    options.onLookup?.(known !== undefined);
    if (!known) return verify(token);
    if (!hasExpired(known)) return known;
    verified.delete(token);
    throw expired();
  };
}

/** No tolerance for tokens that live no longer than it: it would double their lifetime. */
function hasExpired({ issuedAtSec, expiresAtSec }: Principal): boolean {
  const toleranceSec = expiresAtSec - issuedAtSec > CLOCK_TOLERANCE_SEC ? CLOCK_TOLERANCE_SEC : 0;
  return (expiresAtSec + toleranceSec) * 1000 <= Date.now();
}

const isFromTheFuture = ({ issuedAtSec }: Principal) => (issuedAtSec - CLOCK_TOLERANCE_SEC) * 1000 > Date.now();

const malformed = (cause?: unknown) =>
  commonErrors.unauthorized({
    message: 'The access token is malformed: it is not a signed JWT.',
    cause,
    tokenSent: true,
  });

/** Does not say which part of the token is wrong, which would help to forge one. */
const unknown = (cause?: unknown) =>
  commonErrors.unauthorized({
    message: 'The access token is unknown: this platform has not issued it.',
    cause,
    tokenSent: true,
  });

const expired = (cause?: unknown) =>
  commonErrors.unauthorized({ message: 'The access token has expired.', cause, tokenSent: true });

async function verifiedClaims(token: string, keys: JWTVerifyGetKey, { issuer, audience }: Expected): Promise<unknown> {
  try {
    const expected = { issuer, audience, algorithms: ['ES256', 'RS256'], typ: 'at+jwt' };
    const { payload } = await jwtVerify(token, keys, { ...expected, clockTolerance: CLOCK_TOLERANCE_SEC });
    return payload;
  } catch (error) {
    if (isKeyServerUnavailable(error)) throw commonErrors.unavailable({ cause: error });
    if (error instanceof errors.JWTExpired) throw expired(error);
    if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) throw malformed(error);
    throw unknown(error);
  }
}
