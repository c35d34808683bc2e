import type { Migration } from '@dtplatform/mongo';
import { comparableUser } from '../../domain/scim/comparable.js';
import { userModel } from './user.model.js';

const BATCH = 500;

/** Stores the comparable form of the attributes of users that earlier versions created. Their revisions do not rise. */
export const userSearch = (id: string): Migration => ({
  id,
  async up(db, signal) {
    const users = db.collection(userModel.collection);
    for (let last = ''; ;) {
      signal.throwIfAborted();
      const batch = await users
        .find({ _id: { $gt: last as never }, _search: { $exists: false } })
        .sort({ _id: 1 })
        .limit(BATCH)
        .toArray();
      if (batch.length === 0) return;
      await users.bulkWrite(
        batch.map((user) => ({
          updateOne: {
            filter: { _id: user._id, _search: { $exists: false } },
            update: { $set: { _search: comparableUser(user) } },
          },
        })),
      );
      last = String(batch[batch.length - 1]!._id);
    }
  },
});
