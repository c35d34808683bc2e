import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { subjectOf } from '@dtplatform/permissions';
import type { Access, GrantSource } from '@dtplatform/permissions';
import type { App } from '../../directory/apps/app.js';
import type { MemberStore } from '../../groups/usergroups/members.store.js';
import type { User } from './user.js';
import type { UserStore } from './users.store.js';

/** A user, as visible to other users. */
export const Account = z
  .object({
    _id: ResourceId.describe('The id of the user: 24 hexadecimal digits.'),
    _firstname: z.string().describe('The given name of the user; empty without one.'),
    _lastname: z.string().describe('The family name of the user; empty without one.'),
    _email: z.string().describe('The primary email address of the user, else the first one, else the user name.'),
  })
  .meta({ id: 'Account', description: 'A user, as visible to other users.' });
export type Account = z.infer<typeof Account>;

export const showAccount = (user: User): Account => ({
  _id: user._id,
  _firstname: user.name?.givenName ?? '',
  _lastname: user.name?.familyName ?? '',
  _email: emailOf(user),
});

/** The primary address, else the first, else the user name, which then has the form of an address. */
export function emailOf({ emails = [], userName }: User): string {
  return (emails.find(({ primary }) => primary) ?? emails[0])?.value ?? userName;
}

/** Whether the caller can be a member of groups: users and administrators. */
export const isUser = (principal: Access['principal']): boolean => subjectOf(principal)._type === 'user';

interface Deps {
  userStore: UserStore;
  memberStore: MemberStore;
  grants: GrantSource;
  findApp: (id: string) => Promise<App | undefined>;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Users as other users see them; SCIM serves those who manage them. */
export function createAccounts({ userStore, memberStore, grants, findApp }: Deps) {
  async function orgOf({ kind, id }: Principal): Promise<string | undefined> {
    const found = kind === 'app' ? await findApp(id) : await userStore.find(id);
    return found?._orgId;
  }

  async function sharesNamespace(userId: string, access: Access): Promise<boolean> {
    const own = await access.namespaces();
    if (own === 'all') return true;
    if (own.length === 0) return false;
    const theirs = new Set(await grants.namespacesOf({ _type: 'user', _id: userId }));
    return own.some((namespace) => theirs.has(namespace));
  }

  async function sharesGroup(userId: string, callerId: string): Promise<boolean> {
    const own = await memberStore.allGroupsOf(callerId);
    return own.length > 0 && (await memberStore.groupsOf(userId, own)).size > 0;
  }

  /**
   * Across organizations, only shared groups reveal a user: members of a foreign group have accepted that. A permission
   * does not, because it can be granted to anybody.
   */
  async function isVisible(user: User, access: Access): Promise<boolean> {
    const { principal } = access;
    if (user._id === principal.id || principal.kind === 'trusted') return true;
    if (await sharesGroup(user._id, principal.id)) return true;
    if (user._orgId !== (await orgOf(principal))) return false;
    return principal.kind === 'admin' || sharesNamespace(user._id, access);
  }

  return {
    /** @throws notFound when there is no such user, or it is hidden from the caller */
    async get(id: string, access: Access): Promise<User> {
      const user = await userStore.find(id);
      if (!user || !(await isVisible(user, access))) throw commonErrors.notFound();
      return user;
    },
  };
}
