import { randomInt } from 'node:crypto';
import { defineModel, id, isDuplicateKey, MongoServerError, number, text } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';

/** One part of an organization's user count, which is the sum of its parts. */
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

/** Spreads concurrent writes: transactions on the same document conflict. */
const PARTS = 16;

export const countId = (orgId: string, part: number): string => `${orgId}/${part}`;

/** User counts per organization, maintained by every transaction that adds or removes a user. */
export function createUserCounts(mongo: Mongo) {
  const counts = mongo.model(userCountModel);

  async function add(orgId: string, amount: number, session: ClientSession): Promise<void> {
    const update = { $inc: { amount }, $setOnInsert: { orgId } };
    await counts
      .updateOne({ _id: countId(orgId, randomInt(PARTS)) }, update, { session, upsert: true })
      .catch((error: unknown) => {
        // A concurrent transaction inserted the same document: retry.
        if (isDuplicateKey(error) && error instanceof MongoServerError)
          error.addErrorLabel('TransientTransactionError');
        throw error;
      });
  }

  return {
    add,
    read: async (orgId: string): Promise<number> =>
      (await counts.find({ orgId }, { amount: 1 }).lean()).reduce((sum, { amount }) => sum + amount, 0),
  };
}
