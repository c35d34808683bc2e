import { defineModel, id, number, text } from '@dtplatform/mongo';

/** A part of the number of users of an organization: the number is the sum of its parts. */
export interface UserCount {
  /** `<organization>/<part>` */
  _id: string;
  orgId: string;
  amount: number;
}

export const userCountModel = defineModel<UserCount>(
  'user_counts',
  { _id: id, orgId: text, amount: number },
  { indexes: [{ key: { orgId: 1 }, name: 'organization' }] },
);
