import { created, ok, route, routes, wholePage } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { shownWorkspace } from '../../domain/workspace.js';
import { listWorkspaces } from './list-workspaces.handler.js';
import {
  CreateWorkspacesBody,
  ListWorkspacesQuery,
  WorkspacePage,
  WorkspaceParams,
  WorkspaceReply,
} from './workspaces.schemas.js';

/** Workspaces (contract: Workspaces). */
export const workspaceRoutes = (deps: Deps) =>
  routes('/workspaces', [
    route.get('/', {
      operation: 'workspaces.list',
      summary: 'The workspaces that the caller may read.',
      query: ListWorkspacesQuery,
      replies: { 200: WorkspacePage },
      handler: listWorkspaces(deps),
    }),
    route.post('/', {
      operation: 'workspaces.create',
      summary: 'Create workspaces, all or none, each with a namespace of its own.',
      body: CreateWorkspacesBody,
      replies: { 201: WorkspacePage },
      handler: async ({ body, access }) => {
        const workspaces = await deps.workspaceUseCases.create(body, access);
        return created(wholePage(workspaces.map(shownWorkspace)));
      },
    }),
    route.get('/:id', {
      operation: 'workspaces.get',
      summary: 'A workspace.',
      params: WorkspaceParams,
      replies: { 200: WorkspaceReply },
      handler: async ({ params, access }) => ok(shownWorkspace(await deps.workspaceUseCases.get(params.id, access))),
    }),
  ]);
