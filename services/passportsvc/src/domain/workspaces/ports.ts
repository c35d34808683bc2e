import type { Scope } from '@dtplatform/permissions';
import type { Listing, Paging } from '@dtplatform/resource';
import type { Workspace } from './workspace.js';

export interface WorkspaceQuery {
  visible: Scope;
  /** Accepted values of each field. */
  fields: Partial<Record<'_name' | '_userType' | '_shortName', string[]>>;
  /** Values of attributes, by dotted path. */
  attributes: Record<string, string[]>;
  /** Glob over name, short name and description; without a `*` it matches substrings. */
  text?: string;
}

export interface WorkspaceStore {
  find(id: string): Promise<Workspace | undefined>;
  list(query: WorkspaceQuery, paging: Paging): Promise<Listing<Workspace>>;
  /** Inserts all or none. @param limit most workspaces that the app may then have @throws workspacesLimit */
  insertAll(workspaces: Workspace[], appId: string, limit: number | undefined): Promise<void>;
}
