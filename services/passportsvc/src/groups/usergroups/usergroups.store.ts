import { listPage, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { createAppLimit } from '../../directory/apps/apps.store.js';
import { workspaceFilter } from '../../directory/workspaces/workspaces.store.js';
import { mapQueryErrors, touched } from '../../queries/queries.store.js';
import { inviteModel } from '../invites/invites.model.js';
import { newMember } from './members.js';
import { GroupSummary } from './usergroup.js';
import type { UserGroupStore } from './usergroups.js';
import { memberModel, usergroupModel } from './usergroups.model.js';

/** How many groups one sweep takes up. */
const MAX_PENDING = 100;

const SUMMARY = Object.keys(GroupSummary.shape);

/** Groups that callers see. */
const present = { _deleted: false };

export function createUserGroupStore(mongo: Mongo): UserGroupStore {
  const groups = mongo.model(usergroupModel);
  const members = mongo.model(memberModel);
  const invites = mongo.model(inviteModel);
  const assertRoom = createAppLimit(mongo, 'usergroups.limit', groups);

  return {
    find: async (id) => (await groups.findById(id).lean()) ?? undefined,
    summarize: (ids) => groups.find({ _id: oneOf(ids), ...present }, SUMMARY).lean(),
    list: (query, paging) =>
      mapQueryErrors(() => listPage(groups, { ...workspaceFilter(query), ...present }, { paging })),
    assertRoom: (appId, added) => assertRoom(appId, added),
    async insertAll(added, memberIds, appId) {
      const inserted = added.map((group) => ({ ...group, _isMember: memberIds.length > 0 }));
      if (added.length === 0) return inserted;
      const insert = async (session: ClientSession) => {
        await assertRoom(appId, added.length, session);
        await groups.insertMany(added, { session });
        const first = added.flatMap(({ _id }) => memberIds.map((userId) => newMember(_id, userId)));
        if (first.length > 0) await members.insertMany(first, { session });
      };
      await mongo.transaction(insert, { early: () => inserted });
      return inserted;
    },
    update: (id, change, author, precondition) =>
      updateIfMatch(groups, id, { $set: { ...change, ...touched(author) } }, { precondition, filter: present }),
    markDeleted: (id, precondition) =>
      mongo.transaction(async (session) => {
        const $set = { _deleted: true, _membersPending: true };
        const group = await updateIfMatch(groups, id, { $set }, { precondition, session, filter: present });
        if (!group) return false;
        await members.deleteMany({ _groupId: id }, { session });
        const cancelled = { $set: { _status: 'CANCELLED' as const }, $unset: { _remindAt: '' } };
        await invites.updateMany({ _usergroupId: id, _status: 'PENDING' }, cancelled, { session });
        return true;
      }),
    removeDeleted: async (id) => void (await groups.deleteOne({ _id: id, _deleted: true })),
    listPending: async () =>
      (await groups.find({ _membersPending: true }, { _id: 1 }).limit(MAX_PENDING).lean()).map(({ _id }) => _id),
    async clearPending(id, revision) {
      // Through the driver's collection, because callers do not see this change: the revision must not rise.
      const filter = { _id: id as never, _revision: revision };
      await groups.collection.updateOne(filter, { $unset: { _membersPending: '' } });
    },
  };
}
