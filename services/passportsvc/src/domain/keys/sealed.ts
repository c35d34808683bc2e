import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** A secret encrypted with AES-256-GCM; `iv`, `data` and `tag` in base64. */
export const Sealed = z.object({
  iv: z.string(),
  data: z.string(),
  tag: z.string(),
  /** Which key it was sealed with. */
  keyId: z.string(),
});
export type Sealed = z.infer<typeof Sealed>;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;

/** @param context what the secret belongs to; it must be the same for unsealing */
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
