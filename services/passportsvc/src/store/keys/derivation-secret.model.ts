import { defineModel, id, number } from '@dtplatform/mongo';
import type { DerivationSecret } from '../../domain/keys/stored-key.js';
import { sealed } from './sealed.part.js';

export const derivationSecretModel = defineModel<DerivationSecret>('derivation_secrets', {
  _id: id,
  sealed,
  createdAt: number,
});
