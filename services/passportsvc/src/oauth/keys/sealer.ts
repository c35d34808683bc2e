import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

const KEY_BYTES = 32;

/** A key for one purpose (HKDF, RFC 5869). All processes derive the same keys. */
export const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `dtplatform passportsvc ${purpose}`, KEY_BYTES));

/**
 * A secret encrypted with AES-256-GCM; `iv`, `data` and `tag` in base64. List every stored field of this type in
 * `createSealedSecretStore`.
 */
export const Sealed = z.object({
  iv: z.string(),
  data: z.string(),
  tag: z.string(),
  keyId: z.string(),
});
export type Sealed = z.infer<typeof Sealed>;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;

/** @param context the secret's owner; unsealing requires the same */
export function seal(secret: string, key: Buffer, context: string): Omit<Sealed, 'keyId'> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
  const data = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { iv: iv.toString('base64'), data: data.toString('base64'), tag: cipher.getAuthTag().toString('base64') };
}

/** @throws when the key or the context differs, or the sealed data was modified */
export function unseal(sealed: Omit<Sealed, 'keyId'>, key: Buffer, context: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(sealed.iv, 'base64'))
    .setAAD(Buffer.from(context))
    .setAuthTag(Buffer.from(sealed.tag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(sealed.data, 'base64')), decipher.final()]).toString('utf8');
}

/** A stored secret cannot be decrypted: the process must not start. */
export class WrongKeyEncryptionKey extends Error {
  constructor(cause?: unknown) {
    super('KEY_ENCRYPTION_KEY: is not the key with which the stored secrets were encrypted', { cause });
    this.name = 'WrongKeyEncryptionKey';
  }
}

/**
 * Seals with `KEY_ENCRYPTION_KEY`; also unseals with `KEY_ENCRYPTION_KEY_PREVIOUS`, because both are in use during a
 * key change.
 */
export function createSealer(config: { KEY_ENCRYPTION_KEY: string; KEY_ENCRYPTION_KEY_PREVIOUS?: string }) {
  const current = sealingKey(config.KEY_ENCRYPTION_KEY);
  const previous = config.KEY_ENCRYPTION_KEY_PREVIOUS;
  const keys = [current, ...(previous ? [sealingKey(previous)] : [])];

  return {
    keyId: current.id,
    seal: (secret: string, context: string): Sealed => ({ ...seal(secret, current.key, context), keyId: current.id }),
    /** @throws WrongKeyEncryptionKey */
    unseal(sealed: Sealed, context: string): string {
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

export type Sealer = ReturnType<typeof createSealer>;

const sealingKey = (encryptionKey: string) => ({
  id: derive(encryptionKey, 'key id').toString('base64url').slice(0, 16),
  key: derive(encryptionKey, 'secrets'),
});
