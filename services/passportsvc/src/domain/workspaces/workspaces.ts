import { commonErrors } from '@dtplatform/errors';
import { subjectOf } from '@dtplatform/permissions';
import type { Access, GrantSource } from '@dtplatform/permissions';
import { createdBy } from '@dtplatform/resource';
import type { Listing, Paging } from '@dtplatform/resource';
import type { AppStore } from '../apps/ports.js';
import { newNamespace } from '../namespaces/new-namespace.js';
import type { WorkspaceQuery, WorkspaceStore } from './ports.js';
import { workspaceIrn } from './workspace.js';
import type { Workspace } from './workspace.js';

type NewWorkspace = Pick<Workspace, '_name' | '_shortName' | '_description' | '_userType' | '_userAttributes'>;

export interface Workspaces {
  /** Creates all or none, each with a namespace in which the caller may do everything. @throws workspacesLimit */
  create(workspaces: NewWorkspace[], access: Access): Promise<Workspace[]>;
  list(query: Omit<WorkspaceQuery, 'visible'>, paging: Paging, access: Access): Promise<Listing<Workspace>>;
  /** @throws notFound when the workspace does not exist or the caller may not see it */
  get(id: string, access: Access): Promise<Workspace>;
}

const TYPE = 'passportsvc:workspace';

interface Deps {
  workspaceStore: WorkspaceStore;
  appStore: AppStore;
  grants: GrantSource;
  newId: () => string;
}

export function createWorkspaces({ workspaceStore, appStore, grants, newId }: Deps): Workspaces {
  async function limitOf(appId: string): Promise<number | undefined> {
    const app = await appStore.find(appId);
    if (!app) throw commonErrors.forbidden();
    const limit = app._configs['workspaces.limit'];
    return limit === undefined ? undefined : Number(limit);
  }

  return {
    async create(wanted, access) {
      const { appId } = access.principal;
      const limit = await limitOf(appId);
      const created = wanted.map((workspace) => newWorkspace(newId(), workspace, access));
      // Permissions come first: if the insert fails, they refer to namespaces that will never exist.
      if (created.length > 0 && access.principal.kind !== 'trusted') await grants.grant(entriesFor(created, access));
      await workspaceStore.insertAll(created, appId, limit);
      return created;
    },
    async list(query, paging, access) {
      return workspaceStore.list({ ...query, visible: await access.scope('READ', TYPE) }, paging);
    },
    async get(id, access) {
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

const entriesFor = (workspaces: Workspace[], { principal }: Access) =>
  workspaces
    .flatMap(({ _namespaces }) => _namespaces)
    .map((_namespace) => ({
      _namespace,
      _resourceDesc: { _irn: '*:*:*' },
      _user: subjectOf(principal),
      _actions: ['*' as const],
    }));
