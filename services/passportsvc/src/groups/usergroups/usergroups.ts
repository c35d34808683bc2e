import { createdBy } from '@dtplatform/contracts';
import type { Action, Listing, Paging, PermissionEntry, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { subjectOf } from '@dtplatform/permissions';
import type { Access, GrantSource } from '@dtplatform/permissions';
import type { AppStore } from '../../directory/apps/apps.store.js';
import { allOf, newNamespace } from '../../directory/namespaces/namespaces.js';
import type { NewWorkspace } from '../../directory/workspaces/workspace.js';
import type { WorkspaceQuery } from '../../directory/workspaces/workspaces.js';
import { errors } from '../../errors.js';
import { isUser } from '../../scim/users/accounts.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { GroupSync } from './group-sync.js';
import type { MemberStore } from './members.store.js';
import { usergroupIrn } from './usergroup.js';
import type { GroupForCaller, UserGroup, UserGroupChange } from './usergroup.js';
import type { UserGroupStore } from './usergroups.store.js';

export interface MemberChange {
  add?: string[];
  remove?: string[];
}

const TYPE = 'passportsvc:usergroup';

interface Deps {
  groupStore: UserGroupStore;
  memberStore: MemberStore;
  appStore: AppStore;
  userStore: UserStore;
  groupSync: GroupSync;
  grants: GrantSource;
  newId: () => string;
}

export type UserGroups = ReturnType<typeof createUserGroups>;

export function createUserGroups(deps: Deps) {
  const { groupStore, memberStore, appStore, userStore, groupSync, grants, newId } = deps;

  async function organizationOf({ principal }: Access): Promise<string> {
    const caller = await (isUser(principal) ? userStore.find(principal.id) : appStore.find(principal.appId));
    if (!caller) throw commonErrors.forbidden({ message: 'The user or application of the token no longer exists.' });
    return caller._orgId;
  }

  async function forCaller(groups: UserGroup[], { principal }: Access): Promise<GroupForCaller[]> {
    const ids = groups.map(({ _id }) => _id);
    const own = isUser(principal) && ids.length > 0 ? await memberStore.groupsOf(principal.id, ids) : new Set();
    return groups.map((group) => ({ ...group, _isMember: own.has(group._id) }));
  }

  /** @throws notFound when the caller may not read the group, forbidden when it lacks the action */
  async function findFor(action: Action, id: string, access: Access): Promise<UserGroup> {
    const group = await groupStore.find(id);
    const resource = group && !group._deleted ? { _irn: usergroupIrn(id), _namespaces: group._namespaces } : undefined;
    await access.require(action, resource);
    return group!;
  }

  return {
    require: findFor,
    /** All or nothing. The creator becomes a member with full permissions. @throws usergroupsLimit */
    async create(wanted: NewWorkspace[], access: Access): Promise<GroupForCaller[]> {
      const { principal } = access;
      await groupStore.assertRoom(principal.appId, wanted.length);
      const orgId = await organizationOf(access);
      const created = wanted.map((group) => newGroup(newId(), group, orgId, access));
      const memberIds = isUser(principal) ? [principal.id] : [];
      // Members and grants first: if the insert fails, they refer to groups that never exist.
      for (const { _id, _namespaces } of created) {
        await grants.putGroup(_id, { _revision: 0, _memberIds: memberIds, _namespaces, _deleted: false });
      }
      if (created.length > 0) await grants.grant(created.flatMap((group) => grantsOf(group, access)));
      const inserted = await groupStore.insertAll(created, memberIds, principal.appId);
      await groupSync.dropDeleted(
        created.map(({ _id }) => _id),
        memberIds,
      );
      return inserted;
    },
    async list(
      query: Omit<WorkspaceQuery, 'visible'>,
      paging: Paging,
      access: Access,
    ): Promise<Listing<GroupForCaller>> {
      const { list, total } = await groupStore.list({ ...query, visible: await access.scope('READ', TYPE) }, paging);
      return { list: await forCaller(list, access), total };
    },
    /** @throws notFound when the group does not exist or is hidden from the caller */
    async get(id: string, access: Access): Promise<GroupForCaller> {
      const group = await findFor('READ', id, access);
      return (await forCaller([group], access))[0]!;
    },
    /** @throws notFound, forbidden, namespaceNotInGroup, 412 */
    async update(
      id: string,
      change: UserGroupChange,
      access: Access,
      precondition: Precondition,
    ): Promise<GroupForCaller> {
      const { _namespaces: had } = await findFor('EDIT', id, access);
      if (change._namespaces?.some((namespace) => !had.includes(namespace))) throw errors.namespaceNotInGroup();
      const changed = await groupStore.update(id, change, access.principal, precondition);
      if (!changed) throw commonErrors.notFound();
      return (await forCaller([changed], access))[0]!;
    },
    /** Once the promise resolves, members have no permissions through the group in any service. */
    async remove(id: string, access: Access, precondition: Precondition): Promise<void> {
      await findFor('DELETE', id, access);
      if (!(await groupStore.markDeleted(id, precondition))) throw commonErrors.notFound();
      await groupSync.push(id);
    },
  };
}

/** Members may read their group; its creator may do everything. Trusted clients need no permission. */
function grantsOf({ _id, _namespaces }: UserGroup, { principal }: Access): PermissionEntry[] {
  const irn = usergroupIrn(_id);
  const members = allOf(_namespaces, irn, { _type: 'usergroup', _id }).map((entry): PermissionEntry => ({
    ...entry,
    _actions: ['READ'],
  }));
  return principal.kind === 'trusted' ? members : [...members, ...allOf(_namespaces, irn, subjectOf(principal))];
}

function newGroup(_id: string, group: NewWorkspace, _orgId: string, { principal }: Access): UserGroup {
  return {
    _id,
    ...group,
    _namespaces: [newNamespace(group._shortName ?? group._name ?? 'usergroup')],
    _metadata: createdBy(principal),
    _appId: principal.appId,
    _orgId,
    _deleted: false,
    _revision: 0,
  };
}
