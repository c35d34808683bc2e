import { defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { StoredKey } from '../../domain/keys/stored-key.js';

export const signingKeyModel = defineModel<StoredKey>('signing_keys', {
  _id: id,
  kid: text,
  sealed: part<StoredKey['sealed']>({ iv: text, data: text, tag: text }),
  createdAt: number,
});
