import type { Paging } from '@dtplatform/http';
import type { Scope } from '@dtplatform/permissions';
import type { App } from './app.js';
import type { Organization } from './organization.js';
import type { User } from './user.js';
import type { Workspace } from './workspace.js';

export interface AppStore {
  find(id: string): Promise<App | undefined>;
  hasShortName(shortName: string): Promise<boolean>;
  /** @throws shortNameTaken */
  insert(app: App): Promise<void>;
  /** Apps whose permissions in their own namespaces are still to be written. */
  withPendingGrants(): Promise<App[]>;
  grantsWritten(id: string): Promise<void>;
}

export interface OrganizationStore {
  find(id: string): Promise<Organization | undefined>;
}

export interface UserStore {
  find(id: string): Promise<User | undefined>;
  /** @param key see `nameKey` */
  findByUserName(key: string): Promise<User | undefined>;
  /** The user with this address; one whose user name it is before all others. */
  /** Users of the organization come first: addresses are not verified, and another one may have the same. */
  findByEmail(orgId: string, key: string): Promise<User | undefined>;
  /** @throws userNameTaken */
  insert(user: User): Promise<void>;
}

export interface WorkspaceQuery {
  visible: Scope;
  names?: string[];
  userTypes?: string[];
  shortNames?: string[];
  /** Values of attributes, by dotted path. */
  attributes: Record<string, string[]>;
  /** Glob over name, short name and description; without a `*` a part of them. */
  text?: string;
}

export interface WorkspaceStore {
  find(id: string): Promise<Workspace | undefined>;
  list(query: WorkspaceQuery, paging: Paging): Promise<{ list: Workspace[]; total: number }>;
  /** Inserts all or none. @param limit most workspaces that the app may have then @throws workspacesLimit */
  insertAll(workspaces: Workspace[], appId: string, limit: number | undefined): Promise<void>;
}
