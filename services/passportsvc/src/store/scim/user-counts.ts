import { randomInt } from 'node:crypto';
import { isDuplicateKey, MongoServerError } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { organizationModel } from '../organizations/organization.model.js';
import { userCountModel } from './user-count.model.js';
import { userModel } from './user.model.js';

/** Transactions that change the same document conflict: of so many at the same time, most change another one. */
const PARTS = 16;

export const countId = (orgId: string, part: number): string => `${orgId}/${part}`;

/** How many users each organization has, without counting them: every transaction that adds or removes a user changes it. */
export function createUserCounts(mongo: Mongo) {
  const counts = mongo.model(userCountModel);
  const users = mongo.model(userModel);
  const organizations = mongo.model(organizationModel);

  async function add(orgId: string, amount: number, session: ClientSession, part = randomInt(PARTS)): Promise<void> {
    const update = { $inc: { amount }, $setOnInsert: { orgId } };
    await counts.updateOne({ _id: countId(orgId, part) }, update, { session, upsert: true }).catch((error: unknown) => {
      // Another transaction has inserted the same document: this one runs again.
      if (isDuplicateKey(error) && error instanceof MongoServerError) error.addErrorLabel('TransientTransactionError');
      throw error;
    });
  }

  const read = async (orgId: string, session?: ClientSession): Promise<number> =>
    (await counts.find({ orgId }, { amount: 1 }, { session }).lean()).reduce((sum, { amount }) => sum + amount, 0);

  /** Counts in the snapshot of one transaction, so users that are added meanwhile are in both numbers or in none. */
  const correct = (orgId: string): Promise<number> =>
    mongo.transaction(async (session) => {
      const missing = (await users.countDocuments({ _orgId: orgId }, { session })) - (await read(orgId, session));
      if (missing !== 0) await add(orgId, missing, session, 0);
      return Math.abs(missing);
    });

  return {
    add,
    read: (orgId: string) => read(orgId),
    /** Counts the users of every organization. @returns by how many the numbers were wrong */
    async correctAll(): Promise<number> {
      let wrong = 0;
      for (const orgId of await organizations.distinct('_id')) wrong += await correct(orgId);
      return wrong;
    },
  };
}
