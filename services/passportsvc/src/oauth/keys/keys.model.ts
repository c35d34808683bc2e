import { modelOf } from '@dtplatform/mongo';
import { DerivationSecret, StoredKey } from './signing-keys.js';

export const derivationSecretModel = modelOf('derivation_secrets', DerivationSecret);
export const signingKeyModel = modelOf('signing_keys', StoredKey);
