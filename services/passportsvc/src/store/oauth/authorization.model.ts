import { defineModel, flag, id, number, part, text } from '@dtplatform/mongo';
import type { Authorization } from '../../domain/oauth/authorization.js';

export const authorizationModel = defineModel<Authorization>('authorizations', {
  _id: id,
  clientId: text,
  accountId: text,
  code: part<Authorization['code']>({ hash: text, challenge: String, redirectUri: text, expiresAt: Date }),
  generation: number,
  needsSecret: flag,
  expiresAt: Date,
  changeId: String,
});

authorizationModel.schema
  .index({ 'code.hash': 1 }, { name: 'code', unique: true })
  .index({ accountId: 1, clientId: 1 }, { name: 'account' })
  .index({ clientId: 1 }, { name: 'client' })
  .index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
