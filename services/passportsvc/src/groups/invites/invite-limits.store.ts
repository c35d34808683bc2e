import { commonErrors } from '@dtplatform/errors';
import { after, isDuplicateKey, MongoServerError, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { usergroupModel } from '../usergroups/usergroups.model.js';
import type { Invite } from './invite.js';
import { inviteCountModel, inviteModel } from './invites.model.js';

/** Limits that prevent mail flooding in the platform's name. */
const MAX_PENDING_OF_GROUP = 500;
const MAX_SENT_PER_DAY = 500;
const MAX_RECEIVED_PER_DAY = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

const secondsUntil = (day: number) => String(Math.ceil((day * DAY_MS - Date.now()) / 1000));

/** Call these checks in the inserting transaction, before the insert. */
export function createInviteLimits(mongo: Mongo) {
  const invites = mongo.model(inviteModel);
  const counts = mongo.model(inviteCountModel);

  async function assertRoomInGroup(groupId: string, added: Invite[], session: ClientSession): Promise<void> {
    // Makes concurrent invites to one group conflict. Bypasses mongoose: the group's revision must not change.
    const present = { _id: groupId, _deleted: false };
    const { matchedCount } = await mongo
      .collection(usergroupModel)
      .updateOne(present, { $inc: { _inviteWrites: 1 } }, { session });
    if (matchedCount === 0) throw commonErrors.notFound();
    const open: Filter = { _usergroupId: groupId, _status: 'PENDING', _expiresAt: after(Date.now()) };
    const keys = added.map(({ _emailKey }) => _emailKey);
    const same = await invites.find({ ...open, _emailKey: oneOf(keys) }, { _emailKey: 1 }, { session }).lean();
    if (same.length > 0) {
      const taken = new Set(same.map(({ _emailKey }) => _emailKey));
      const rejected = keys.flatMap((key, index) => (taken.has(key) ? [index] : []));
      throw errors.alreadyInvited({
        details: rejected.map((index) => ({ location: `body.${index}._email`, message: 'has an open invite' })),
      });
    }
    const count = await invites.countDocuments(open, { session, limit: MAX_PENDING_OF_GROUP + 1 });
    if (count + added.length > MAX_PENDING_OF_GROUP) throw errors.pendingInvitesLimit();
  }

  /** @throws invitesPerDayLimit */
  async function countToday(added: Invite[], session: ClientSession): Promise<void> {
    const day = Math.floor(Date.now() / DAY_MS);
    const removeAt = new Date((day + 2) * DAY_MS);
    const sent = { _id: `from:${added[0]!._metadata._createdById}:${day}`, by: added.length, limit: MAX_SENT_PER_DAY };
    const received = added.map(({ _emailKey }) => ({
      _id: `to:${_emailKey}:${day}`,
      by: 1,
      limit: MAX_RECEIVED_PER_DAY,
    }));
    for (const { _id, by, limit } of [sent, ...received]) {
      const update = { $inc: { count: by }, $setOnInsert: { removeAt } };
      const options = { upsert: true, returnDocument: 'after', session, lean: true } as const;
      const counted = await counts.findOneAndUpdate({ _id }, update, options).catch((error: unknown) => {
        // A concurrent transaction inserted the same document: retry.
        if (isDuplicateKey(error) && error instanceof MongoServerError)
          error.addErrorLabel('TransientTransactionError');
        throw error;
      });
      if (counted!.count > limit)
        throw errors.invitesPerDayLimit({ headers: { 'retry-after': secondsUntil(day + 1) } });
    }
  }

  return async (groupId: string, added: Invite[], session: ClientSession): Promise<void> => {
    await assertRoomInGroup(groupId, added, session);
    await countToday(added, session);
  };
}
