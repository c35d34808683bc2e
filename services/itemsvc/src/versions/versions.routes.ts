import { z } from 'zod';
import { created, noContent, nsfilter, ok, okPage, pageOf, revision, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import { ItemParams, ListVersionsQuery, MAX_BODY_BYTES, WriteQuery } from '../nameduseritems/nameduseritems.routes.js';
import { invalidLists, listQueryOf } from '../query/list-parameters.http.js';
import { NewVersion, ProjectedVersion, Version } from './version.js';
import type { Versions } from './versions.js';

const VersionParams = ItemParams.extend({
  versionId: z.string().min(1).max(128).describe('The id of the version.'),
});
const GetVersionQuery = z.object({ nsfilter });
const VersionPage = pageOf(ProjectedVersion).meta({ id: 'VersionPage', description: 'A page of versions.' });

/** `If-Match` compares the item's revision. */
export const versionRoutes = ({ items, versions }: { items: Items; versions: Versions }) =>
  routes('/nameduseritems', [
    route.get('/:id/versions', {
      operation: 'versions.list',
      summary: 'Find versions of an item, newest first by default.',
      errors: invalidLists,
      params: ItemParams,
      query: ListVersionsQuery,
      needs: permit('READ', ITEM_TYPE, items),
      responses: { 200: VersionPage },
      handler: async ({ resource, query }) => {
        const list = listQueryOf(query);
        return okPage(await versions.list(resource, list, query.userItemVersionId), list.paging);
      },
    }),
    route.post('/:id/versions', {
      operation: 'versions.create',
      summary: 'Add a version, which becomes the latest.',
      description: 'Attributes and data default to empty; they are not copied from the previous version.',
      errors: [errors.versionTooLarge],
      params: ItemParams,
      query: WriteQuery,
      body: NewVersion,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('EDIT', ITEM_TYPE, items),
      responses: { 201: Version },
      ifMatch: true,
      again: (id, { resource }) => versions.get(resource, id),
      handler: async ({ resource, body, access, precondition }) =>
        created(await versions.add(resource, body, access, precondition)),
    }),
    route.get('/:id/versions/:versionId', {
      operation: 'versions.get',
      summary: 'Read a version of an item. Its ETag is that of the item.',
      params: VersionParams,
      query: GetVersionQuery,
      needs: permit('READ', ITEM_TYPE, items),
      responses: { 200: Version },
      etag: (_version, { resource }) => revision(resource),
      handler: async ({ resource, params: { versionId } }) => ok(await versions.get(resource, versionId)),
    }),
    route.put('/:id/versions/:versionId', {
      operation: 'versions.update',
      summary: 'Change the given attributes and data of a version.',
      description: 'The response is a 201, although no version is created.',
      errors: [errors.versionTooLarge],
      params: VersionParams,
      query: WriteQuery,
      body: NewVersion,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('EDIT', ITEM_TYPE, items),
      responses: { 201: Version },
      ifMatch: true,
      handler: async ({ resource, params: { versionId }, body, access, precondition }) =>
        created(await versions.update(resource, versionId, body, access, precondition)),
    }),
    route.delete('/:id/versions/:versionId', {
      operation: 'versions.delete',
      summary: 'Delete a version with its related items. If it is the latest, the previous one becomes the latest.',
      errors: [errors.lastVersion],
      params: VersionParams,
      query: WriteQuery,
      needs: permit('DELETE', ITEM_TYPE, items),
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ resource, params: { versionId }, access, precondition }) => {
        await versions.remove(resource, versionId, access, precondition);
        return noContent();
      },
    }),
  ]);
