import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { Deletion } from '../deletions/deletion.js';
import type { AppConfigs } from './app-configs.js';
import type { App, AppChange } from './app.js';

/** Which apps a caller sees: all that are in the scope, that it owns, or that belong to its organization. */
export type VisibleApps = 'everything' | { scope: Scope; ownerId?: string; orgId?: string };

export interface AppQuery {
  visible: VisibleApps;
  /** Accepted values of each field. */
  fields: Partial<Record<'_name' | '_userType' | '_shortName' | '_orgId', string[]>>;
  /** Glob over name and short name; without a `*` it matches substrings. */
  text?: string;
}

/** A write to one app: by whom, and on which revisions. */
export interface AppWrite {
  byId: string;
  precondition: Precondition;
  /** A trusted app counts as one that does not exist. */
  onlyUntrusted: boolean;
}

export interface AppStore {
  find(id: string): Promise<App | undefined>;
  /** Without the configurations. */
  list(query: AppQuery, paging: Paging): Promise<Listing<Omit<App, '_configs'>>>;
  hasShortName(shortName: string): Promise<boolean>;
  /** @throws shortNameTaken */
  insert(app: App): Promise<void>;
  /** @returns the changed app; undefined when it no longer exists. @throws 412 */
  update(id: string, change: Partial<AppChange>, write: AppWrite): Promise<App | undefined>;
  /** Replaces the configuration with what `change` makes of it, in one step. The same results as `update`. */
  changeConfigs(id: string, change: (configs: AppConfigs) => AppConfigs, write: AppWrite): Promise<App | undefined>;
  /**
   * Deletes an app and records what follows. The deletion is undone if `beforeCommit` rejects.
   * @returns what follows; undefined when the app no longer exists. @throws 412
   */
  remove(id: string, write: AppWrite, beforeCommit: () => Promise<void>): Promise<Deletion | undefined>;
  /** All `_authorizedOrigins` of all apps. */
  listAuthorizedOrigins(): Promise<string[]>;
}
