import { defineModel, id, json, metadata, number, text } from '@dtplatform/mongo';
import type { Invite } from './invite.js';

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

/** How many invites somebody sent, or an address got, on one day. */
export interface InviteCount {
  /** `from:<user or app>:<day>` or `to:<address>:<day>`. */
  _id: string;
  count: number;
  removeAt: Date;
}

export const inviteCountModel = defineModel<InviteCount>(
  'invite_counts',
  { _id: id, count: number, removeAt: Date },
  { indexes: [{ key: { removeAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }] },
);
