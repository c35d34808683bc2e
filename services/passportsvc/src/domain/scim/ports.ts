import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { AccessEnding } from './access-ending.js';
import type { AttributePath } from './attributes.js';
import type { ScimFilter } from './filter/filter.js';
import type { User } from './user.js';

export interface UserQuery {
  /** Undefined for all organizations. */
  orgId?: string;
  filter?: ScimFilter;
  sort?: { path: AttributePath; descending: boolean };
  /** The URL below which replies locate users. */
  usersUrl: string;
}

export interface UserStore {
  find(id: string): Promise<User | undefined>;
  /** Those that exist, by id. */
  findMany(ids: readonly string[]): Promise<User[]>;
  /** @param key see `comparableName` */
  findByUserName(key: string): Promise<User | undefined>;
  /**
   * The user of the organization with this address; the one whose user name it is, if there are several. Addresses are not
   * verified, and may occur in other organizations, too.
   */
  findByEmail(orgId: string, key: string): Promise<User | undefined>;
  /** Those of the users that have one of these addresses. */
  findAmong(ids: readonly string[], emailKeys: readonly string[]): Promise<User[]>;
  /** @throws queryTooSlow */
  list(query: UserQuery, paging: Paging): Promise<Listing<User>>;
  /** @throws userNameTaken */
  insert(user: User): Promise<void>;
  /**
   * Replaces what is stored of a user, and records in the same transaction that its access must end.
   * @returns the user with its new revision; undefined when there is none
   * @throws preconditionFailed, userNameTaken
   */
  replace(user: User, precondition: Precondition, ending?: AccessEnding): Promise<User | undefined>;
  /** Removes a user, and records in the same transaction that its access and its permissions must end. @throws preconditionFailed */
  remove(id: string, precondition: Precondition, ending: AccessEnding): Promise<boolean>;
}

export interface AccessEndingStore {
  list(limit: number): Promise<AccessEnding[]>;
  remove(id: string): Promise<void>;
}
