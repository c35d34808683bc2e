import { createLocalJWKSet, createRemoteJWKSet, errors } from 'jose';
import type { JWTVerifyGetKey } from 'jose';

const FETCH_TIMEOUT_MS = 3000;
/** An unknown key id triggers a new fetch, but not more often than this. */
const REFETCH_COOLDOWN_MS = 5000;

/** Public keys that are fetched from a key server. */
export type RemoteKeys = JWTVerifyGetKey & {
  /** Resolves once the key set has been fetched; each call before that fetches it. */
  ready: () => Promise<void>;
};

/**
 * The keys at the URL of a JWKS. They are fetched again every ten minutes, so that a withdrawn key is not trusted for
 * longer. While the key server is unavailable, the last known keys stay valid: the services must not fail with it.
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
        // The key is not among the known ones; it may be valid, but that cannot be checked now.
        throw error;
      });
    }
  };
  const ready = async () => {
    if (!remote.jwks()) await remote.reload();
  };
  return Object.assign(find, { ready });
}

/** Any error other than jose's verdict on the token means that the keys could not be fetched. */
export function isKeyServerUnavailable(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  return (
    error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC'
  );
}
