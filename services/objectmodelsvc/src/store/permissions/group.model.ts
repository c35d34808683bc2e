import { defineModel, id, number, text } from '@dtplatform/mongo';

/** A user group of passportsvc, as far as permissions need to know it. */
export interface StoredGroup {
  _id: string;
  /** Revision of the group in passportsvc. A state of an earlier one is not stored. */
  revision: number;
  memberIds: string[];
  /** Set when the group is gone. The record then only refuses states that arrive late. */
  deletedAt?: Date;
}

const ONE_DAY_SEC = 24 * 60 * 60;

export const groupModel = defineModel<StoredGroup>(
  'usergroups',
  {
    _id: id,
    revision: number,
    memberIds: [text],
    deletedAt: Date,
  },
  {
    indexes: [
      { key: { memberIds: 1 }, name: 'members' },
      { key: { deletedAt: 1 }, name: 'expiry', expireAfterSeconds: ONE_DAY_SEC },
    ],
  },
);
