import { defineModel, id, json, metadata, number, text } from '@dtplatform/mongo';
import type { Invite } from '../../domain/invites/invite.js';

export const inviteModel = defineModel<Invite>('invites', {
  _id: id,
  _email: text,
  _params: json,
  _status: text,
  _expiresAt: number,
  _metadata: metadata,
  _usergroupId: text,
  _emailKey: text,
  _appId: text,
  _orgId: text,
  _tokenHashes: [String],
  _remindAt: Number,
  _answeredById: String,
  _removeAt: Date,
  _revision: number,
});

inviteModel.schema
  .index({ _usergroupId: 1, _id: 1 }, { name: 'group' })
  .index({ _orgId: 1, _emailKey: 1, _id: -1 }, { name: 'address' })
  .index({ _tokenHashes: 1 }, { name: 'token' })
  .index({ _remindAt: 1 }, { name: 'reminder', partialFilterExpression: { _status: 'PENDING' } })
  .index({ _removeAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
