import type { App } from '../apps/app.js';
import type { Organization } from '../organizations/organization.js';
import type { User } from '../scim/user.js';

export type ListedUser = Pick<User, '_id' | '_orgId' | 'userName' | 'active' | '_admin'>;
export type ListedApp = Pick<App, '_id' | '_orgId' | '_name' | '_trusted' | '_accessTokenTtlSec'>;
export type ListedOrganization = Pick<Organization, '_id' | '_name'>;

/** Restricts a list; it is sorted by `_id`. */
export interface ListOptions {
  orgId?: string;
  limit: number;
}

/** What an operator may do to any record, whoever owns it. */
export interface AdministrationStore {
  listUsers(options: ListOptions & { adminsOnly?: boolean }): Promise<ListedUser[]>;
  listApps(options: ListOptions): Promise<ListedApp[]>;
  listOrganizations(options: Pick<ListOptions, 'limit'>): Promise<ListedOrganization[]>;
  findUser(nameOrId: string): Promise<ListedUser | undefined>;
  findApp(id: string): Promise<ListedApp | undefined>;
  setSecretHash(appId: string, hash: string): Promise<boolean>;
  setTrusted(appId: string, trusted: boolean): Promise<boolean>;
  /** False if one with this id exists. */
  addOrganization(organization: Organization): Promise<boolean>;
}
