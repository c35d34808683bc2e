import { derive } from './derive.js';
import { seal, unseal } from './sealed.js';
import type { Sealed } from './sealed.js';

/** A stored secret cannot be decrypted: the process must not start. */
export class WrongKeyEncryptionKey extends Error {
  constructor(cause?: unknown) {
    super('KEY_ENCRYPTION_KEY: is not the key that the stored secrets were encrypted with', { cause });
    this.name = 'WrongKeyEncryptionKey';
  }
}

/** Encrypts the secrets that are stored. */
export interface Sealer {
  /** Id of the key that secrets are sealed with now. */
  keyId: string;
  /** @param context what the secret belongs to; it must be the same for unsealing */
  seal(secret: string, context: string): Sealed;
  /** @throws WrongKeyEncryptionKey */
  unseal(sealed: Sealed, context: string): string;
  /** The key encryption key that a secret was sealed with. @throws WrongKeyEncryptionKey */
  encryptionKeyOf(sealed: Sealed, context: string): string;
}

interface SealingKey {
  id: string;
  key: Buffer;
  encryptionKey: string;
}

/**
 * Seals with `KEY_ENCRYPTION_KEY`, and unseals with it or with `KEY_ENCRYPTION_KEY_PREVIOUS`: while the key is being changed,
 * secrets sealed with either are stored.
 */
export function createSealer(config: { KEY_ENCRYPTION_KEY: string; KEY_ENCRYPTION_KEY_PREVIOUS?: string }): Sealer {
  const current = sealingKey(config.KEY_ENCRYPTION_KEY);
  const previous = config.KEY_ENCRYPTION_KEY_PREVIOUS;
  const keys = [current, ...(previous ? [sealingKey(previous)] : [])];

  function open(sealed: Sealed, context: string): { secret: string; encryptionKey: string } {
    let failure: unknown;
    for (const { id, key, encryptionKey } of keys) {
      if (sealed.keyId !== undefined && sealed.keyId !== id) continue;
      try {
        return { secret: unseal(sealed, key, context), encryptionKey };
      } catch (error) {
        failure = error;
      }
    }
    throw new WrongKeyEncryptionKey(failure);
  }

  return {
    keyId: current.id,
    seal: (secret, context) => ({ ...seal(secret, current.key, context), keyId: current.id }),
    unseal: (sealed, context) => open(sealed, context).secret,
    encryptionKeyOf: (sealed, context) => open(sealed, context).encryptionKey,
  };
}

const sealingKey = (encryptionKey: string): SealingKey => ({
  id: derive(encryptionKey, 'key id').toString('base64url').slice(0, 16),
  // Secrets were sealed under this name before anything but signing keys was.
  key: derive(encryptionKey, 'signing keys'),
  encryptionKey,
});
