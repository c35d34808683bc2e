import type { Author, Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { WorkspaceQuery } from '../workspaces/ports.js';
import type { GroupForCaller, GroupSummary, UserGroup, UserGroupChange } from './usergroup.js';

interface MemberChange {
  add?: string[];
  remove?: string[];
}

/** Deleted groups are found by `find` only, for `GroupSync`. */
export interface UserGroupStore {
  find(id: string): Promise<UserGroup | undefined>;
  summarize(ids: readonly string[]): Promise<GroupSummary[]>;
  list(query: WorkspaceQuery, paging: Paging): Promise<Listing<UserGroup>>;
  /** Tells early that an app cannot have so many more. @throws forbidden when the app no longer exists, usergroupsLimit */
  assertRoom(appId: string, added: number): Promise<void>;
  /**
   * Inserts all or none, each with these members; they are committed when it resolves.
   * @returns them as a member sees them, if there are members
   * @throws forbidden when the app no longer exists, usergroupsLimit
   */
  insertAll(groups: UserGroup[], memberIds: string[], appId: string): Promise<GroupForCaller[]>;
  /** @returns the changed group; undefined when it no longer exists. @throws 412 */
  update(
    id: string,
    change: UserGroupChange,
    author: Author,
    precondition: Precondition,
  ): Promise<UserGroup | undefined>;
  /** Marks a group as deleted, removes its members and cancels its invites. @returns whether there was one */
  markDeleted(id: string, precondition: Precondition): Promise<boolean>;
  removeDeleted(id: string): Promise<void>;
  /** Ids of groups whose members, or whose end, objectmodelsvc may not know. */
  listPending(): Promise<string[]>;
  /** @param revision the one that objectmodelsvc knows; a later one stays pending */
  clearPending(id: string, revision: number): Promise<void>;
}

export interface MemberStore {
  /** Those of the groups in which the user is a member. */
  groupsOf(userId: string, groupIds: readonly string[]): Promise<Set<string>>;
  /** All groups of a user. */
  allGroupsOf(userId: string): Promise<string[]>;
  idsIn(groupId: string): Promise<string[]>;
  list(groupId: string, paging: Paging): Promise<Listing<string>>;
  /**
   * Changes the members and raises the group's revision. @returns whether there is such a group
   * @throws membersLimit, groupsOfUserLimit, 412 when the group's revision does not match
   */
  change(groupId: string, change: MemberChange, precondition: Precondition): Promise<boolean>;
}
