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

/** Tells objectmodelsvc who belongs to which group (docs/adr/0034-groups-as-subjects.md). */
export function createGroupSync({ groupStore, memberStore, userStore, grants }: Deps) {
  /** Whoever left holds nothing through the group any more, everywhere, when this resolves. */
  async function push(groupId: string): Promise<void> {
    // The group comes first: the members then are those of this revision, or of a later one that is pushed after it.
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
    /**
     * Those of the users who joined groups and were deleted meanwhile leave again: their deletion may have looked for their groups
     * before they joined.
     */
    async dropDeleted(groupIds: string[], userIds: string[]): Promise<void> {
      const found = new Set((await userStore.findMany(userIds)).map(({ _id }) => _id));
      const gone = userIds.filter((id) => !found.has(id));
      if (gone.length === 0) return;
      for (const groupId of groupIds) {
        await memberStore.change(groupId, { remove: gone }, undefined);
        await push(groupId);
      }
    },
    /** Pushes what a request could not, because a service failed or its process died. @returns how many groups */
    async pushPending(): Promise<number> {
      const pending = await groupStore.listPending();
      await tryEach(pending, push);
      return pending.length;
    },
  };
}
