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
}

/**
 * Seals with `KEY_ENCRYPTION_KEY`, and unseals with it or with `KEY_ENCRYPTION_KEY_PREVIOUS`: while the key is being changed,
 * secrets sealed with either are stored.
 */
export function createSealer(config: { KEY_ENCRYPTION_KEY: string; KEY_ENCRYPTION_KEY_PREVIOUS?: string }): Sealer {
  const current = sealingKey(config.KEY_ENCRYPTION_KEY);
  const previous = config.KEY_ENCRYPTION_KEY_PREVIOUS;
  const keys = [current, ...(previous ? [sealingKey(previous)] : [])];

  return {
    keyId: current.id,
    seal: (secret, context) => ({ ...seal(secret, current.key, context), keyId: current.id }),
    unseal(sealed, context) {
      const sealedWith = keys.find(({ id }) => id === sealed.keyId);
      if (!sealedWith) throw new WrongKeyEncryptionKey();
      try {
        return unseal(sealed, sealedWith.key, context);
      } catch (error) {
        throw new WrongKeyEncryptionKey(error);
      }
    },
  };
}

const sealingKey = (encryptionKey: string) => ({
  id: derive(encryptionKey, 'key id').toString('base64url').slice(0, 16),
  key: derive(encryptionKey, 'secrets'),
});
