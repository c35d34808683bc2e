import type { User } from './user.js';

export interface UserStore {
  find(id: string): Promise<User | undefined>;
  /** Those that exist, by id. */
  findMany(ids: readonly string[]): Promise<User[]>;
  /** @param key see `nameKey` */
  findByUserName(key: string): Promise<User | undefined>;
  /**
   * The user of the organization with this address; the one whose user name it is, if there are several. Addresses are not
   * verified, and may occur in other organizations, too.
   */
  findByEmail(orgId: string, key: string): Promise<User | undefined>;
  /** @throws userNameTaken */
  insert(user: User): Promise<void>;
}
