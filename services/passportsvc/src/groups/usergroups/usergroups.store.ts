import type { Author, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { listPage, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { createAppLimit } from '../../directory/apps/apps.store.js';
import type { WorkspaceQuery } from '../../directory/workspaces/workspaces.js';
import { workspaceFilter } from '../../directory/workspaces/workspaces.store.js';
import { mapQueryErrors, touched } from '../../queries/queries.store.js';
import { inviteModel } from '../invites/invites.model.js';
import { newMember } from './members.js';
import { GroupSummary } from './usergroup.js';
import type { GroupForCaller, UserGroup, UserGroupChange } from './usergroup.js';
import { memberModel, usergroupModel } from './usergroups.model.js';

const MAX_PENDING = 100;

const SUMMARY = Object.keys(GroupSummary.shape);

const present = { _deleted: false };

/** Only `find` returns deleted groups, for `GroupSync`. */
export function createUserGroupStore(mongo: Mongo) {
  const groups = mongo.model(usergroupModel);
  const members = mongo.model(memberModel);
  const invites = mongo.model(inviteModel);
  const assertRoom = createAppLimit(mongo, 'usergroups.limit', groups);

  return {
    find: async (id: string): Promise<UserGroup | undefined> => (await groups.findById(id).lean()) ?? undefined,
    summarize: (ids: readonly string[]): Promise<GroupSummary[]> =>
      groups.find({ _id: oneOf(ids), ...present }, SUMMARY).lean(),
    list: (query: WorkspaceQuery, paging: Paging): Promise<Listing<UserGroup>> =>
      mapQueryErrors(() => listPage(groups, { ...workspaceFilter(query), ...present }, { paging })),
    /** An early check. @throws forbidden when the app no longer exists, usergroupsLimit */
    assertRoom: (appId: string, added: number): Promise<void> => assertRoom(appId, added),
    /**
     * Inserts all groups with these members, or none.
     * @returns the groups, as a member sees them if there are members
     * @throws forbidden when the app no longer exists, usergroupsLimit
     */
    async insertAll(added: UserGroup[], memberIds: string[], appId: string): Promise<GroupForCaller[]> {
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
    /** @returns the changed group; undefined when it no longer exists. @throws 412 */
    update: (
      id: string,
      change: UserGroupChange,
      author: Author,
      precondition: Precondition,
    ): Promise<UserGroup | undefined> =>
      updateIfMatch(groups, id, { $set: { ...change, ...touched(author) } }, { precondition, filter: present }),
    /** Marks a group as deleted, removes its members and cancels its invites. @returns whether the group existed */
    markDeleted: (id: string, precondition: Precondition): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const $set = { _deleted: true, _membersPending: true };
        const group = await updateIfMatch(groups, id, { $set }, { precondition, session, filter: present });
        if (!group) return false;
        await members.deleteMany({ _groupId: id }, { session });
        const cancelled = { $set: { _status: 'CANCELLED' as const }, $unset: { _remindAt: '' } };
        await invites.updateMany({ _usergroupId: id, _status: 'PENDING' }, cancelled, { session });
        return true;
      }),
    removeDeleted: async (id: string): Promise<void> => void (await groups.deleteOne({ _id: id, _deleted: true })),
    /** Ids of groups whose members or deletion objectmodelsvc may lack. */
    listPending: async (): Promise<string[]> =>
      (await groups.find({ _membersPending: true }, { _id: 1 }).limit(MAX_PENDING).lean()).map(({ _id }) => _id),
    /** @param revision the one that was pushed; a later one stays pending */
    async clearPending(id: string, revision: number): Promise<void> {
      // Bypasses mongoose: the revision must not change.
      const filter = { _id: id, _revision: revision };
      await mongo.collection(usergroupModel).updateOne(filter, { $unset: { _membersPending: '' } });
    },
  };
}

export type UserGroupStore = ReturnType<typeof createUserGroupStore>;
