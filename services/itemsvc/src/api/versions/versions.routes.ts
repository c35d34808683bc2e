import { created, okPage, pageOf, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { NewVersion, ProjectedVersion, Version } from '../../domain/versions/version.js';
import { listQueryOf } from '../list-parameters.js';
import { ItemParams, ListItemsQuery, MAX_BODY_BYTES, WriteQuery } from '../nameduseritems/nameduseritems.schemas.js';

/** Versions of named items (docs/contract.md, "Versions"). */
export const versionRoutes = ({ items, versions }: Deps) =>
  routes('/nameduseritems', [
    route.get('/:id/versions', {
      operation: 'versions.list',
      summary: 'The versions of an item, newest first.',
      params: ItemParams,
      query: ListItemsQuery,
      needs: permit('READ', items),
      replies: { 200: pageOf(ProjectedVersion) },
      handler: async ({ resource, query }) => {
        const list = listQueryOf(query);
        return okPage(await versions.list(resource, list), list.paging);
      },
    }),
    route.post('/:id/versions', {
      operation: 'versions.create',
      summary: 'Add a version, which becomes the latest.',
      params: ItemParams,
      query: WriteQuery,
      body: NewVersion,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('EDIT', items),
      replies: { 201: Version },
      handler: async ({ resource, body, access, precondition }) =>
        created(await versions.add(resource, body, access, precondition)),
    }),
  ]);
