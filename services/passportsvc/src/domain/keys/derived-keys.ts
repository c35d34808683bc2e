import { derive } from './derive.js';

/** One key per purpose, from the derivation secret. */
export interface DerivedKeys {
  /** Key of the hashes of app secrets. */
  appSecrets: Buffer;
  /** Authenticates refresh tokens. */
  refreshTokens: Buffer;
  /** Signs the sign-in cookies. */
  cookies: string;
  /** Authenticates the forms of pages. */
  forms: Buffer;
}

/** @param secret the derivation secret, which is stored (`DerivationSecret`) */
export const deriveKeys = (secret: string): DerivedKeys => ({
  appSecrets: derive(secret, 'app secrets'),
  refreshTokens: derive(secret, 'refresh tokens'),
  cookies: derive(secret, 'cookies').toString('base64url'),
  forms: derive(secret, 'forms'),
});
