import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import {
  created,
  documents,
  noContent,
  ok,
  okPage,
  pageOf,
  pagingOf,
  revision,
  route,
  routes,
  wholePage,
} from '@dtplatform/http';
import { errors } from '../../errors.js';
import { createBody, ListWorkspacesQuery, workspaceQueryOf } from '../../requests/attributes.http.js';
import { ShownWorkspace, showWorkspace, Workspace, WorkspaceChange } from './workspace.js';
import type { Workspaces } from './workspaces.js';

const CreateWorkspacesBody = createBody('NewWorkspace', 'A workspace');
const WorkspaceParams = z.object({ id: Workspace.shape._id });
const WorkspacePage = pageOf(ShownWorkspace).meta({ id: 'WorkspacePage', description: 'A page of workspaces.' });

export const workspaceRoutes = ({ workspaces }: { workspaces: Workspaces }) =>
  routes('/workspaces', [
    route.get('/', {
      operation: 'workspaces.list',
      summary: 'List the workspaces that the caller may read.',
      description:
        'Parameters `_userAttributes.<path>` filter by attribute, such as `_userAttributes.site.city=Berlin`; numbers and booleans match as text.',
      errors: [errors.queryTooSlow],
      needs: documents({ rule: 'filter', action: 'READ', resource: 'passportsvc:workspace' }),
      query: ListWorkspacesQuery,
      responses: { 200: WorkspacePage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await workspaces.list(workspaceQueryOf(query), paging, access), paging, showWorkspace);
      },
    }),
    route.post('/', {
      operation: 'workspaces.create',
      summary: 'Create workspaces, all or none, each with a new namespace in which the caller gets all permissions.',
      errors: [errors.workspacesLimit, commonErrors.forbidden],
      needs: documents({ rule: 'anyone' }),
      body: CreateWorkspacesBody,
      responses: { 201: WorkspacePage },
      again: async (id, { access }) => showWorkspace(await workspaces.get(id, access)),
      handler: async ({ body, access }) =>
        created(wholePage((await workspaces.create(body, access)).map(showWorkspace))),
    }),
    route.get('/:id', {
      operation: 'workspaces.get',
      summary: 'Read a workspace.',
      needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:workspace' }),
      params: WorkspaceParams,
      etag: revision,
      show: showWorkspace,
      responses: { 200: ShownWorkspace },
      handler: async ({ params, access }) => ok(await workspaces.get(params.id, access)),
    }),
    route.put('/:id', {
      operation: 'workspaces.update',
      summary: 'Change the given fields of a workspace.',
      errors: [errors.namespaceNotInWorkspace],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:workspace' }),
      params: WorkspaceParams,
      body: WorkspaceChange,
      etag: revision,
      show: showWorkspace,
      responses: { 200: ShownWorkspace },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await workspaces.update(params.id, body, access, precondition)),
    }),
    route.delete('/:id', {
      operation: 'workspaces.delete',
      summary: 'Delete a workspace. All permissions in its namespaces end immediately, and their contents are removed.',
      needs: documents({ rule: 'resource', action: 'DELETE', resource: 'passportsvc:workspace' }),
      params: WorkspaceParams,
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, access, precondition }) => {
        await workspaces.remove(params.id, access, precondition);
        return noContent();
      },
    }),
  ]);
