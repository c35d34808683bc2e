import { createLocalJWKSet, createRemoteJWKSet, errors } from 'jose';
import type { JWTVerifyGetKey } from 'jose';

const FETCH_TIMEOUT_MS = 3000;
/** Public keys that are somewhere else. */
export type RemoteKeys = JWTVerifyGetKey & {
  /** Resolves when they were had at least once; asks for them until then. */
  ready: () => Promise<void>;
};

/** An unknown key makes us ask again, but not more often than this. */
const ASK_AGAIN_AFTER_MS = 5000;

/**
 * The keys at the URL of a JWKS. They are asked for again every ten minutes, so that a withdrawn one is not trusted for
 * longer; but while the key server is away, those that were known last still count: the platform's services must not
 * fall with it.
 */
export function remoteKeys(url: URL): RemoteKeys {
  const remote = createRemoteJWKSet(url, { timeoutDuration: FETCH_TIMEOUT_MS, cooldownDuration: ASK_AGAIN_AFTER_MS });
  const find: JWTVerifyGetKey = async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      const known = remote.jwks();
      if (!known || !isKeyServerAway(error)) throw error;
      return createLocalJWKSet(known)(header, token).catch(() => {
        // Not known before the key server went away: whether it is good cannot be told now.
        throw error;
      });
    }
  };
  const ready = async () => {
    if (!remote.jwks()) await remote.reload();
  };
  return Object.assign(find, { ready });
}

/** Anything but jose's judgement of the token means that the keys could not be had. */
export function isKeyServerAway(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  return (
    error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC'
  );
}
