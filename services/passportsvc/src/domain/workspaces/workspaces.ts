import { commonErrors } from '@dtplatform/errors';
import { subjectOf } from '@dtplatform/permissions';
import type { Access, GrantSource } from '@dtplatform/permissions';
import { createdBy } from '@dtplatform/resource';
import type { Listing, Paging } from '@dtplatform/resource';
import type { AppStore } from '../apps/ports.js';
import { allOf } from '../namespaces/all-of.js';
import { newNamespace } from '../namespaces/new-namespace.js';
import type { WorkspaceQuery, WorkspaceStore } from './ports.js';
import { workspaceIrn } from './workspace.js';
import type { Workspace } from './workspace.js';

type NewWorkspace = Pick<Workspace, '_name' | '_shortName' | '_description' | '_userType' | '_userAttributes'>;

const TYPE = 'passportsvc:workspace';

interface Deps {
  workspaceStore: WorkspaceStore;
  appStore: AppStore;
  grants: GrantSource;
  newId: () => string;
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

export function createWorkspaces({ workspaceStore, appStore, grants, newId }: Deps) {
  async function limitOf(appId: string): Promise<number | undefined> {
    const app = await appStore.find(appId);
    if (!app) throw commonErrors.forbidden();
    const limit = app._configs['workspaces.limit'];
    return limit === undefined ? undefined : Number(limit);
  }

  return {
    /** Creates all or none, each with a namespace in which the caller may do everything. @throws workspacesLimit */
    async create(wanted: NewWorkspace[], access: Access): Promise<Workspace[]> {
      const { appId, kind } = access.principal;
      const limit = await limitOf(appId);
      const created = wanted.map((workspace) => newWorkspace(newId(), workspace, access));
      // Permissions come first: if the insert fails, they refer to namespaces that will never exist.
      const entries = created.flatMap(({ _namespaces }) => allOf(_namespaces, '*:*:*', subjectOf(access.principal)));
      if (created.length > 0 && kind !== 'trusted') await grants.grant(entries);
      await workspaceStore.insertAll(created, appId, limit);
      return created;
    },
    async list(query: Omit<WorkspaceQuery, 'visible'>, paging: Paging, access: Access): Promise<Listing<Workspace>> {
      return workspaceStore.list({ ...query, visible: await access.scope('READ', TYPE) }, paging);
    },
    /** @throws notFound when the workspace does not exist or the caller may not see it */
    async get(id: string, access: Access): Promise<Workspace> {
      const workspace = await workspaceStore.find(id);
      const resource = workspace && { _irn: workspaceIrn(id), _namespaces: workspace._namespaces };
      await access.require('READ', resource);
      return workspace!;
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
