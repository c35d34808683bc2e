import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { StoredKey } from '../../domain/keys/stored-key.js';
import { sealed } from './sealed.part.js';

export const signingKeyModel = defineModel<StoredKey>('signing_keys', {
  _id: id,
  kid: text,
  sealed,
  createdAt: number,
  activeFrom: number,
});
