import { MAX_GROUP_MEMBERS } from '@dtplatform/contracts';
import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { listPage, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { memberId, newMember } from './members.js';
import type { MemberChange } from './usergroups.js';
import { memberModel, usergroupModel } from './usergroups.model.js';

/** Groups per user: objectmodelsvc looks up all of them to load the user's grants. */
const MAX_GROUPS_OF_USER = 1000;

/** Changes members within a transaction. Writing the group makes concurrent changes conflict. */
export function createChangeMembers(mongo: Mongo) {
  const groups = mongo.model(usergroupModel);
  const members = mongo.model(memberModel);

  async function add(groupId: string, userIds: string[], session: ClientSession): Promise<void> {
    const upserts = userIds.map((userId) => {
      const { _id, ...$setOnInsert } = newMember(groupId, userId);
      return { updateOne: { filter: { _id }, update: { $setOnInsert }, upsert: true } };
    });
    await members.bulkWrite(upserts, { session });
    const limit = MAX_GROUP_MEMBERS + 1;
    const count = await members.countDocuments({ _groupId: groupId }, { session, limit });
    if (count > MAX_GROUP_MEMBERS) throw errors.membersLimit();
    const full = await members
      .aggregate<unknown>([
        { $match: { _userId: { $in: userIds } } },
        { $group: { _id: '$_userId', groups: { $sum: 1 } } },
        { $match: { groups: { $gt: MAX_GROUPS_OF_USER } } },
        { $limit: 1 },
      ])
      .session(session);
    if (full.length > 0) throw errors.groupsOfUserLimit();
  }

  const change =
    (session: ClientSession): MemberStore['change'] =>
    async (groupId, { add: added = [], remove: removed = [] }, precondition) => {
      const $set = { _membersPending: true };
      const filter = { _deleted: false };
      const group = await updateIfMatch(groups, groupId, { $set }, { precondition, session, filter });
      if (!group) return false;
      if (added.length > 0) await add(groupId, added, session);
      const ids = removed.map((userId) => memberId(groupId, userId));
      if (ids.length > 0) await members.deleteMany({ _id: oneOf(ids) }, { session });
      return true;
    };
  return change;
}

export function createMemberStore(mongo: Mongo) {
  const members = mongo.model(memberModel);
  const changeIn = createChangeMembers(mongo);

  return {
    async groupsOf(userId: string, groupIds: readonly string[]): Promise<Set<string>> {
      const ids = groupIds.map((groupId) => memberId(groupId, userId));
      const found = await members.find({ _id: oneOf(ids) }, { _groupId: 1 }).lean();
      return new Set(found.map(({ _groupId }) => _groupId));
    },
    allGroupsOf: async (userId: string): Promise<string[]> =>
      (await members.find({ _userId: userId }, { _groupId: 1 }).lean()).map(({ _groupId }) => _groupId),
    idsIn: async (groupId: string): Promise<string[]> =>
      (await members.find({ _groupId: groupId }, { _userId: 1 }).lean()).map(({ _userId }) => _userId),
    async list(groupId: string, paging: Paging): Promise<Listing<string>> {
      const { list, total } = await listPage(members, { _groupId: groupId }, { paging, sort: { _userId: 1 } });
      return { list: list.map(({ _userId }) => _userId), total };
    },
    /**
     * Changes the members and raises the group's revision. @returns whether the group exists
     * @throws membersLimit, groupsOfUserLimit, 412 when the group's revision does not match
     */
    change: (groupId: string, change: MemberChange, precondition: Precondition): Promise<boolean> =>
      mongo.transaction((session) => changeIn(session)(groupId, change, precondition)),
  };
}

export type MemberStore = ReturnType<typeof createMemberStore>;
