import { defineModel, id, number } from '@dtplatform/mongo';

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
