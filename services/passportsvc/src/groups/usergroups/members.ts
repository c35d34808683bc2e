import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { isUser } from '../../scim/users/accounts.js';
import type { User } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { GroupSync } from './group-sync.js';
import type { MemberStore } from './members.store.js';
import type { UserGroup } from './usergroup.js';
import type { UserGroups } from './usergroups.js';

export const Member = z.object({
  _id: z.string(),
  _groupId: ResourceId,
  _userId: ResourceId,
});
export type Member = z.infer<typeof Member>;

export const memberId = (groupId: string, userId: string): string => `${groupId}:${userId}`;

export const newMember = (_groupId: string, _userId: string): Member => ({
  _id: memberId(_groupId, _userId),
  _groupId,
  _userId,
});

interface Deps {
  memberStore: MemberStore;
  userStore: UserStore;
  userGroups: UserGroups;
  groupSync: GroupSync;
}

export type Members = ReturnType<typeof createMembers>;

/** A change is effective in every service once its promise resolves. */
export function createMembers({ memberStore, userStore, userGroups, groupSync }: Deps) {
  /** Only users of the group's organization can be added; others need an invite. @throws unknownMember */
  async function assertMayJoin(ids: string[], { _orgId }: UserGroup, { principal }: Access): Promise<void> {
    const found = new Map((await userStore.findMany(ids)).map((user) => [user._id, user]));
    const mayJoin = (user: User | undefined) => user && (principal.kind === 'trusted' || user._orgId === _orgId);
    const rejected = ids.flatMap((id, index) => (mayJoin(found.get(id)) ? [] : [index]));
    if (rejected.length === 0) return;
    throw errors.unknownMember({
      details: rejected
        .slice(0, 100)
        .map((index) => ({ location: `body.${index}`, message: 'must be an existing user' })),
    });
  }

  async function change(groupId: string, what: Parameters<MemberStore['change']>[1], precondition: Precondition) {
    if (!(await memberStore.change(groupId, what, precondition))) throw commonErrors.notFound();
    await groupSync.push(groupId);
  }

  return {
    async list(groupId: string, paging: Paging, access: Access): Promise<Listing<User>> {
      await userGroups.require('READ', groupId, access);
      const { list, total } = await memberStore.list(groupId, paging);
      const users = new Map((await userStore.findMany(list)).map((user) => [user._id, user]));
      return { list: list.flatMap((id) => users.get(id) ?? []), total };
    },
    /** @returns the users. @throws unknownMember, membersLimit, groupsOfUserLimit */
    async add(groupId: string, ids: string[], access: Access, precondition: Precondition): Promise<User[]> {
      const group = await userGroups.require('EDIT', groupId, access);
      await assertMayJoin(ids, group, access);
      await change(groupId, { add: ids }, precondition);
      await groupSync.dropDeleted([groupId], ids);
      return userStore.findMany(ids);
    },
    /** Removes members; ignores other users. Anybody may leave a group. */
    async remove(groupId: string, ids: string[], access: Access, precondition: Precondition): Promise<void> {
      const { principal } = access;
      const leaves = isUser(principal) && ids.every((id) => id === principal.id);
      await userGroups.require(leaves ? 'READ' : 'EDIT', groupId, access);
      await change(groupId, { remove: ids }, precondition);
    },
    async removeEverywhere(userId: string): Promise<void> {
      for (const groupId of await memberStore.allGroupsOf(userId)) {
        await memberStore.change(groupId, { remove: [userId] }, undefined);
        await groupSync.push(groupId);
      }
    },
  };
}
