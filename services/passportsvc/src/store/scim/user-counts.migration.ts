import type { Migration } from '@dtplatform/mongo';
import { userCountModel } from './user-count.model.js';
import { countId } from './user-counts.js';
import { userModel } from './user.model.js';

/** Counts the users that there are. */
export const userCounts = (id: string): Migration => ({
  id,
  async up(db) {
    const organizations = db
      .collection(userModel.collection)
      .aggregate<{ _id: string; amount: number }>([{ $group: { _id: '$_orgId', amount: { $sum: 1 } } }]);
    for await (const { _id: orgId, amount } of organizations) {
      const part = { _id: countId(orgId, 0) as never };
      await db.collection(userCountModel.collection).replaceOne(part, { orgId, amount }, { upsert: true });
    }
  },
});
