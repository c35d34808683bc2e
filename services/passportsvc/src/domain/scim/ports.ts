import type { User } from './user.js';

export interface UserStore {
  find(id: string): Promise<User | undefined>;
  /** @param key see `nameKey` */
  findByUserName(key: string): Promise<User | undefined>;
  /**
   * The user with this address. Users of the organization come first, because addresses are not verified and may occur in
   * several organizations; among them, a user whose user name is the address.
   */
  findByEmail(orgId: string, key: string): Promise<User | undefined>;
  /** @throws userNameTaken */
  insert(user: User): Promise<void>;
}
