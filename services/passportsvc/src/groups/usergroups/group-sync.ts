import { tryEach } from '@dtplatform/errors';
import type { GrantSource } from '@dtplatform/permissions';
import type { UserStore } from '../../scim/users/users.store.js';
import type { MemberStore } from './members.store.js';
import type { UserGroupStore } from './usergroups.store.js';

interface Deps {
  groupStore: UserGroupStore;
  memberStore: MemberStore;
  userStore: Pick<UserStore, 'findMany'>;
  grants: GrantSource;
}

export type GroupSync = ReturnType<typeof createGroupSync>;

/** Sends group memberships to objectmodelsvc. */
export function createGroupSync({ groupStore, memberStore, userStore, grants }: Deps) {
  /** Replaces the group's members. Once the promise resolves, former members have no permissions through the group. */
  async function push(groupId: string): Promise<void> {
    // Group first: the members are then at least as new as its revision, and a later revision is pushed again.
    const group = await groupStore.find(groupId);
    if (!group?._membersPending) return;
    const { _namespaces, _deleted } = group;
    const _revision = group._revision;
    const _memberIds = _deleted ? [] : await memberStore.idsIn(groupId);
    await grants.putGroup(groupId, { _revision, _memberIds, _namespaces, _deleted });
    if (_deleted) await groupStore.removeDeleted(groupId);
    else await groupStore.clearPending(groupId, _revision);
  }

  return {
    push,
    /** Removes users who were deleted while they joined: their deletion may have missed these groups. */
    async dropDeleted(groupIds: string[], userIds: string[]): Promise<void> {
      const found = new Set((await userStore.findMany(userIds)).map(({ _id }) => _id));
      const gone = userIds.filter((id) => !found.has(id));
      if (gone.length === 0) return;
      for (const groupId of groupIds) {
        await memberStore.change(groupId, { remove: gone }, undefined);
        await push(groupId);
      }
    },
    /** Pushes changes that failed or whose process died. @returns how many groups */
    async pushPending(): Promise<number> {
      const pending = await groupStore.listPending();
      await tryEach(pending, push);
      return pending.length;
    },
  };
}
