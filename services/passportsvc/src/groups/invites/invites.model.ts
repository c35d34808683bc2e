import { defineModel, id, modelOf, number } from '@dtplatform/mongo';
import { Invite } from './invite.js';

export const inviteModel = modelOf('invites', Invite, {
  indexes: [
    { key: { _usergroupId: 1, _id: 1 }, name: 'group' },
    { key: { _orgId: 1, _emailKey: 1, _id: -1 }, name: 'address' },
    { key: { _tokenHashes: 1 }, name: 'token' },
    { key: { _remindAt: 1 }, name: 'reminder', partialFilterExpression: { _status: 'PENDING' } },
    { key: { _removeAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});

/** The number of invites per day from a sender or to an address. */
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
