import { defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { Sealed } from './sealer.js';
import type { DerivationSecret, StoredKey } from './signing-keys.js';

/** A sealed secret inside a document. Every path of this type is listed in `sealed-secret-store.ts`. */
export const sealed = part<Sealed>({ iv: text, data: text, tag: text, keyId: text });

export const derivationSecretModel = defineModel<DerivationSecret>('derivation_secrets', {
  _id: id,
  sealed,
  createdAt: number,
});

export const signingKeyModel = defineModel<StoredKey>('signing_keys', {
  _id: id,
  kid: text,
  sealed,
  createdAt: number,
  activeFrom: number,
});
