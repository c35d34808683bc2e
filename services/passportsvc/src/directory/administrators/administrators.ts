import type { Listing, Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { AccessEndings } from '../../scim/users/access-endings.js';
import type { User } from '../../scim/users/user.js';
import type { UserStore } from '../../scim/users/users.store.js';

interface Deps {
  userStore: Pick<UserStore, 'find' | 'listAdministrators' | 'setAdministrator'>;
  accessEndings: Pick<AccessEndings, 'newEnding' | 'finish'>;
}

/** The users who administer the platform. */
export function createAdministrators({ userStore, accessEndings }: Deps) {
  return {
    /** By id. */
    list: (paging: Paging): Promise<Listing<User>> => userStore.listAdministrators(paging),
    /** From the user's next sign-in on. @throws notFound */
    async add(id: string): Promise<void> {
      if (!(await userStore.setAdministrator(id, true))) throw commonErrors.notFound();
    },
    /** Signs the user out everywhere, because tokens say that a user is an administrator. @throws notFound, lastAdministrator */
    async remove(id: string): Promise<void> {
      const user = await userStore.find(id);
      const ending = accessEndings.newEnding(id, { staysActive: true });
      if (!user?._admin || !(await userStore.setAdministrator(id, false, ending))) throw commonErrors.notFound();
      await accessEndings.finish(ending);
    },
  };
}

export type Administrators = ReturnType<typeof createAdministrators>;
