import { createdBy } from '@dtplatform/contracts';
import type { Action, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { subjectOf } from '@dtplatform/permissions';
import type { Access, GrantSource, Scope } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { Deletions } from '../deletions/deletions.js';
import { allOf, newNamespace } from '../namespaces/namespaces.js';
import { workspaceIrn } from './workspace.js';
import type { NewWorkspace, Workspace, WorkspaceChange } from './workspace.js';
import type { WorkspaceStore } from './workspaces.store.js';

export interface WorkspaceQuery {
  visible: Scope;
  fields: Partial<Record<'_name' | '_userType' | '_shortName', string[]>>;
  /** Values by dotted path. */
  attributes: Record<string, string[]>;
  /** Glob over name, short name and description; without a `*` it matches substrings. */
  text?: string;
}

const TYPE = 'passportsvc:workspace';

interface Deps {
  workspaceStore: WorkspaceStore;
  grants: GrantSource;
  deletions: Deletions;
  newId: () => string;
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

export function createWorkspaces({ workspaceStore, grants, deletions, newId }: Deps) {
  async function find(action: Action, id: string, access: Access): Promise<Workspace> {
    const workspace = await workspaceStore.find(id);
    const resource = workspace && { _irn: workspaceIrn(id), _namespaces: workspace._namespaces };
    await access.require(action, resource);
    return workspace!;
  }

  return {
    /** All or nothing. Each gets a namespace with full permissions for the caller. @throws workspacesLimit */
    async create(wanted: NewWorkspace[], access: Access): Promise<Workspace[]> {
      const { appId, kind } = access.principal;
      await workspaceStore.assertRoom(appId, wanted.length);
      const created = wanted.map((workspace) => newWorkspace(newId(), workspace, access));
      // Grants first: if the insert fails, they refer to namespaces that never exist.
      const entries = created.flatMap(({ _namespaces }) => allOf(_namespaces, '*:*:*', subjectOf(access.principal)));
      if (created.length > 0 && kind !== 'trusted') await grants.grant(entries);
      await workspaceStore.insertAll(created, appId);
      return created;
    },
    async list(query: Omit<WorkspaceQuery, 'visible'>, paging: Paging, access: Access): Promise<Listing<Workspace>> {
      return workspaceStore.list({ ...query, visible: await access.scope('READ', TYPE) }, paging);
    },
    /** @throws notFound when the workspace does not exist or is hidden from the caller */
    get: (id: string, access: Access): Promise<Workspace> => find('READ', id, access),
    /** @throws notFound, forbidden, namespaceNotInWorkspace, 412 */
    async update(id: string, change: WorkspaceChange, access: Access, precondition: Precondition): Promise<Workspace> {
      const { _namespaces: had } = await find('EDIT', id, access);
      if (change._namespaces?.some((namespace) => !had.includes(namespace))) throw errors.namespaceNotInWorkspace();
      const changed = await workspaceStore.update(id, change, access.principal, precondition);
      if (!changed) throw commonErrors.notFound();
      return changed;
    },
    /**
     * Deletes a workspace. Once the promise resolves, nobody has permissions in its namespaces.
     * @throws notFound, forbidden, 412
     */
    async remove(id: string, access: Access, precondition: Precondition): Promise<void> {
      await find('DELETE', id, access);
      const deletion = await workspaceStore.remove(id, precondition);
      if (!deletion) throw commonErrors.notFound();
      await deletions.finish(deletion);
    },
  };
}

function newWorkspace(_id: string, workspace: NewWorkspace, { principal }: Access): Workspace {
  return {
    _id,
    ...workspace,
    _namespaces: [newNamespace(workspace._shortName ?? workspace._name ?? 'workspace')],
    _metadata: createdBy(principal),
    _appId: principal.appId,
    _revision: 0,
  };
}
