import { commonErrors } from '@dtplatform/errors';
import type { Access, GrantSource } from '@dtplatform/permissions';
import type { UserStore } from '../scim/ports.js';
import type { User } from '../scim/user.js';

interface Deps {
  userStore: UserStore;
  grants: GrantSource;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Users as other users see them; SCIM shows them to those who manage them. */
export function createAccounts({ userStore, grants }: Deps) {
  /** Members of a group share its namespace, so namespaces are all that must be compared. */
  async function sharesNamespace(userId: string, access: Access): Promise<boolean> {
    const own = await access.namespaces();
    if (own === 'all') return true;
    if (own.length === 0) return false;
    const theirs = new Set(await grants.namespacesOf({ _type: 'user', _id: userId }));
    return own.some((namespace) => theirs.has(namespace));
  }

  return {
    /** @throws notFound when there is no such user, or the caller shares no group and no namespace with it */
    async get(id: string, access: Access): Promise<User> {
      const { kind, id: callerId } = access.principal;
      const user = await userStore.find(id);
      const isVisible = user && (id === callerId || kind === 'admin' || (await sharesNamespace(id, access)));
      if (!isVisible) throw commonErrors.notFound();
      return user;
    },
  };
}
