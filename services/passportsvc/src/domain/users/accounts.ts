import { commonErrors } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import type { Access, GrantSource } from '@dtplatform/permissions';
import type { App } from '../apps/app.js';
import type { UserStore } from '../scim/ports.js';
import type { User } from '../scim/user.js';
import type { MemberStore } from '../usergroups/ports.js';

interface Deps {
  userStore: UserStore;
  memberStore: MemberStore;
  grants: GrantSource;
  findApp: (id: string) => Promise<App | undefined>;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Users as other users see them; SCIM shows them to those who manage them. */
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
   * Between organizations, only groups count: nobody is a member of a foreign group without having accepted. A permission can be
   * granted to anybody, and must not reveal who that is.
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
