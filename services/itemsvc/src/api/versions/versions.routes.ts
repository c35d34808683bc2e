import { created, pageOf, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { needsItem } from '../nameduseritems/item-needs.js';
import {
  ItemParams,
  ListItemsQuery,
  ProjectedVersion,
  Version,
  VersionBody,
  WriteQuery,
} from '../nameduseritems/nameduseritems.schemas.js';
import { MAX_BODY_BYTES } from '../nameduseritems/nameduseritems.routes.js';
import { listVersions } from './list-versions.handler.js';

export const versionRoutes = (deps: Deps) =>
  routes('/nameduseritems', [
    route.get('/:id/versions', {
      operation: 'versions.list',
      summary: 'The versions of an item, newest first.',
      params: ItemParams,
      query: ListItemsQuery,
      needs: needsItem('READ', deps),
      replies: { 200: pageOf(ProjectedVersion) },
      handler: listVersions(deps),
    }),
    route.post('/:id/versions', {
      operation: 'versions.create',
      summary: 'Add a version, which becomes the latest.',
      params: ItemParams,
      query: WriteQuery,
      body: VersionBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: needsItem('EDIT', deps),
      replies: { 201: Version },
      handler: async ({ resource, body, access, requireMatch }) =>
        created(await deps.items.addVersion(resource, body, access.principal.id, requireMatch)),
    }),
  ]);
