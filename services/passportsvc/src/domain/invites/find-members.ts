import type { UserStore } from '../scim/ports.js';
import type { User } from '../scim/user.js';
import type { MemberStore } from '../usergroups/ports.js';

interface Deps {
  memberStore: Pick<MemberStore, 'idsIn'>;
  userStore: Pick<UserStore, 'findAmong'>;
}

/** Finds who is a member already: nobody sends them a mail. @returns for an address in comparable form, the member who has it */
export const createFindMembers =
  ({ memberStore, userStore }: Deps) =>
  async (groupId: string, emailKeys: readonly string[]): Promise<(emailKey: string) => User | undefined> => {
    const found = await userStore.findAmong(await memberStore.idsIn(groupId), emailKeys);
    return (emailKey) => found.find(({ _emailKeys }) => _emailKeys.includes(emailKey));
  };
