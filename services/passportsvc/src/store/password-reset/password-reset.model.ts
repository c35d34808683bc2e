import { defineModel, flag, id, text } from '@dtplatform/mongo';
import type { PasswordReset } from '../../domain/password-reset/password-reset.js';

export const passwordResetModel = defineModel<PasswordReset>('password_resets', {
  _id: id,
  userId: text,
  validUntil: Date,
  isUsed: flag,
  expiresAt: Date,
  userState: text,
});

passwordResetModel.schema
  .index({ userId: 1 }, { name: 'user' })
  .index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
