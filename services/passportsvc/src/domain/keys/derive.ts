import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** A key for one purpose (HKDF, RFC 5869), so that none can be used for another. All processes derive the same keys. */
export const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `dtplatform passportsvc ${purpose}`, KEY_BYTES));
