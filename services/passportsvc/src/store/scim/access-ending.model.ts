import { defineModel, flag, id, text } from '@dtplatform/mongo';
import type { AccessEnding } from '../../domain/scim/access-ending.js';

export const accessEndingModel = defineModel<AccessEnding>('access_endings', {
  _id: id,
  userId: text,
  isDeleted: flag,
  staysActive: Boolean,
});
