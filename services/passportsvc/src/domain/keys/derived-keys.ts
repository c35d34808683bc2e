import { hkdfSync } from 'node:crypto';

/** One key per purpose, so that none can be used for another. All replicas derive the same keys. */
export interface DerivedKeys {
  /** Encrypts the signing keys in the database. */
  signingKeys: Buffer;
  /** Key of the hashes of app secrets. */
  appSecrets: Buffer;
  /** Authenticates refresh tokens. */
  refreshTokens: Buffer;
  /** Signs the sign-in cookies. */
  cookies: string;
  /** Authenticates the forms of pages. */
  forms: Buffer;
  /** Encrypts the secrets with which SCIM servers are called. */
  scimSecrets: Buffer;
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
    forms: derive('forms'),
    scimSecrets: derive('scim secrets'),
  };
}
