import { hkdfSync } from 'node:crypto';

/** One key for each purpose, so that none can be used for another. All replicas derive the same ones. */
export interface DerivedKeys {
  /** Encrypts the signing keys in the database. */
  signingKeys: Buffer;
  /** Under which app secrets are hashed. */
  appSecrets: Buffer;
  /** Proves that a refresh token is ours. */
  refreshTokens: Buffer;
  /** Signs the cookies of the sign-in. */
  cookies: string;
}

const KEY_BYTES = 32;

/** Derives the service's keys from `KEY_ENCRYPTION_KEY` (HKDF, RFC 5869). */
export function deriveKeys(secret: string): DerivedKeys {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `dtplatform passportsvc ${purpose}`, KEY_BYTES));
  return {
    signingKeys: derive('signing keys'),
    appSecrets: derive('app secrets'),
    refreshTokens: derive('refresh tokens'),
    cookies: derive('cookies').toString('base64url'),
  };
}
