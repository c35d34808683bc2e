import { z } from 'zod';
import { fewNamespaces } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import {
  booleanParameter,
  documents,
  listParameter,
  noContent,
  nsfilter,
  ok,
  okPage,
  pageOf,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { invalidLists, listParameters, listQueryOf, projectParameter } from '../query/list-parameters.http.js';
import type { VersionChoice } from '../versions/version.js';
import { createdPage, createdPageOf } from './created-page.http.js';
import { ITEM_TYPE, ItemChange, NewItem, ProjectedItem, showItem, ShownItem } from './item.js';
import type { Items } from './items.js';

const MAX_ENTRIES = 1000;
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export const ItemParams = z.object({
  id: z.string().min(1).max(128).describe('The `_id` or `_userItemId` of the item.'),
});

const transactional = booleanParameter.default(false);
/** For single writes. */
export const WriteQuery = z.object({
  nsfilter,
  transactional: transactional.describe('No effect: the call always writes all entries or none.'),
});
/** For writes of several entries. */
export const WriteManyQuery = z.object({
  nsfilter,
  transactional: transactional.describe(
    'Whether all entries are written or none; by default, those that cannot be stored are left out and listed in `_failures`.',
  ),
});

const VersionId = z.string().min(1).max(128).optional();
export const userItemVersionId = VersionId.describe('The id of the version; the latest by default.');
const ListItemsQuery = z.object({
  ...listParameters,
  query: listParameters.query.describe(
    'JSON: up to 200 conditions in the query language of MongoDB, such as `{"_userType": "door"}`; add `"_versions.all": true` to search and return all versions.',
  ),
  userItemVersionId: VersionId.describe(
    'The id of a version: returns only its item, with this version instead of the latest.',
  ),
});
export const ListVersionsQuery = z.object({
  ...listParameters,
  userItemVersionId: VersionId.describe('The id of a version: returns only this version.'),
});
export const UpdateLogsQuery = z.object({
  nsfilter,
  userItemVersionId: VersionId.describe('The id of a version: returns only its changes, even if it has been deleted.'),
});
const GetItemQuery = z.object({
  nsfilter,
  project: projectParameter,
  '_versions.all': booleanParameter.optional().describe('Whether to return all versions of the item, newest first.'),
  versions: listParameter(z.string().max(32))
    .optional()
    .describe('Numbers or ids of the versions to return instead of the latest, separated by commas.'),
});

const CreateItemsBody = z
  .array(NewItem)
  .min(1)
  .max(MAX_ENTRIES)
  .refine(...fewNamespaces(({ _namespaces }: NewItem) => _namespaces));
const CreatedItems = createdPageOf(ShownItem).meta({
  id: 'CreatedItems',
  description: 'The items that were created.',
});
const ItemPage = pageOf(ProjectedItem).meta({ id: 'ItemPage', description: 'A page of items.' });

/** The versions to show besides the tip. */
function versionChoiceOf({ '_versions.all': all, versions }: z.infer<typeof GetItemQuery>): VersionChoice | undefined {
  if (all) return 'all';
  if (!versions) return undefined;
  const isNumber = (version: string) => /^\d{1,9}$/.test(version);
  return {
    numbers: versions.filter(isNumber).map(Number),
    ids: versions.filter((version) => !isNumber(version)),
  };
}

type CreateContext = RequestContext<unknown, z.infer<typeof WriteManyQuery>, z.infer<typeof CreateItemsBody>>;

const createRoute = (items: Items) =>
  route.post('/', {
    operation: 'items.create',
    summary: 'Create up to 1000 named items, in a body of up to 10 MiB.',
    description: 'If an entry is invalid or the caller may not create it, the whole call is rejected.',
    errors: [errors.namespaceNotIncluded, errors.nothingWritten],
    query: WriteManyQuery,
    body: CreateItemsBody,
    maxBodyBytes: MAX_BODY_BYTES,
    needs: permitCreate(ITEM_TYPE, ({ body }: CreateContext) => body),
    responses: { 201: CreatedItems },
    again: async (id, { query: { nsfilter }, access }) =>
      showItem(await items.require(access, 'READ', await items.find(id, nsfilter), nsfilter)),
    handler: async ({ query: { nsfilter: namespace, transactional }, body, access }) => {
      const created = await items.create(body, transactional, { namespace, access });
      const shown = created.items.map((item) => showItem(item));
      return createdPage(shown, created.failures, transactional);
    },
  });

export const itemRoutes = ({ items }: { items: Items }) =>
  routes('/nameduseritems', [
    createRoute(items),
    route.get('/', {
      operation: 'items.list',
      summary: 'Find the named items that the caller may read.',
      errors: [...invalidLists, errors.queryTooBroad],
      needs: documents({ rule: 'filter', action: 'READ', resource: ITEM_TYPE }),
      query: ListItemsQuery,
      responses: { 200: ItemPage },
      handler: async ({ query, access }) => {
        const list = listQueryOf(query);
        return okPage(await items.list(list, query.nsfilter, access, query.userItemVersionId), list.paging);
      },
    }),
    route.get('/:id', {
      operation: 'items.get',
      summary: 'Read a named item with its latest version, or with other versions.',
      description: 'A response with a projection has no `ETag`.',
      errors: [
        errors.invalidProjection,
        errors.invalidQuery,
        errors.queryTooBroad,
        errors.queryTooSlow,
        commonErrors.pageTooLarge,
      ],
      params: ItemParams,
      query: GetItemQuery,
      needs: permit('READ', ITEM_TYPE, items),
      etag: (_shown, { resource, query }) => (query.project ? undefined : revision(resource)),
      responses: { 200: ProjectedItem },
      handler: async ({ resource, query }) => ok(await items.view(resource, versionChoiceOf(query), query.project)),
    }),
    ...changingRoutes(items),
  ]);

const changingRoutes = (items: Items) => [
  route.put('/:id', {
    operation: 'items.update',
    summary: 'Change the name, description, type and namespaces of an item.',
    description:
      'Adding a namespace requires CREATE in it, and SHARE, READ, CREATE, EDIT and DELETE on the item in one of its current namespaces. ' +
      'Removing one requires DELETE in it or in the namespace in which the item was created; removing the latter requires DELETE in it.',
    errors: [errors.namespaceNotIncluded, commonErrors.conflict],
    params: ItemParams,
    query: WriteQuery,
    body: ItemChange,
    needs: permit('EDIT', ITEM_TYPE, items),
    responses: { 204: null },
    ifMatch: true,
    handler: async ({ resource, body, query: { nsfilter: namespace }, access, precondition }) => {
      await items.update(resource, body, { namespace, access }, precondition);
      return noContent();
    },
  }),
  route.delete('/:id', {
    operation: 'items.delete',
    summary: 'Delete an item with its versions and related items, in all its namespaces.',
    description:
      'This requires DELETE in the namespace in which it was created. Otherwise, the item is only removed from the namespace of the call.',
    errors: [commonErrors.conflict],
    params: ItemParams,
    query: WriteQuery,
    needs: permit('DELETE', ITEM_TYPE, items),
    responses: { 204: null },
    ifMatch: true,
    handler: async ({ resource, query: { nsfilter: namespace }, access, precondition }) => {
      await items.remove(resource, { namespace, access }, precondition);
      return noContent();
    },
  }),
];
