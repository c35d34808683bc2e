import type { Author, Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { Deletion } from '../deletions/deletion.js';
import type { Workspace, WorkspaceChange } from './workspace.js';

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
  /** Tells early that an app cannot have so many more. @throws forbidden when the app no longer exists, workspacesLimit */
  assertRoom(appId: string, added: number): Promise<void>;
  /** Inserts all or none. @throws forbidden when the app no longer exists, workspacesLimit */
  insertAll(workspaces: Workspace[], appId: string): Promise<void>;
  /** @returns the changed workspace; undefined when it no longer exists. @throws 412 */
  update(
    id: string,
    change: WorkspaceChange,
    author: Author,
    precondition: Precondition,
  ): Promise<Workspace | undefined>;
  /** Deletes a workspace and records what follows. @returns that; undefined when it no longer exists. @throws 412 */
  remove(id: string, precondition: Precondition): Promise<Deletion | undefined>;
}
