import { commonErrors } from '@dtplatform/errors';
import { documents, noContent, ok, okPage, revision, route, routes } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import type { z } from 'zod';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE, ItemChange, ProjectedItem, showItem } from '../../domain/nameduseritems/item.js';
import { errors } from '../../errors.js';
import { createdPage } from '../created-page.js';
import { listQueryOf } from '../list-parameters.js';
import { invalidLists } from '../query.errors.js';
import {
  CreatedItems,
  CreateItemsBody,
  GetItemQuery,
  ItemPage,
  ItemParams,
  ListItemsQuery,
  MAX_BODY_BYTES,
  versionChoiceOf,
  WriteManyQuery,
  WriteQuery,
} from './nameduseritems.schemas.js';

type CreateContext = RequestContext<unknown, z.infer<typeof WriteManyQuery>, z.infer<typeof CreateItemsBody>>;

const createRoute = (items: Deps['items']) =>
  route.post('/', {
    operation: 'items.create',
    summary: 'Create up to 1000 named items, in at most 10 MiB.',
    description: 'If one entry is invalid, or the caller may not create it, the whole call is refused.',
    errors: [errors.namespaceNotIncluded, errors.nothingWritten],
    query: WriteManyQuery,
    body: CreateItemsBody,
    maxBodyBytes: MAX_BODY_BYTES,
    needs: permitCreate(ITEM_TYPE, ({ body }: CreateContext) => body),
    replies: { 201: CreatedItems },
    again: async (id, { query: { nsfilter }, access }) =>
      showItem(await items.require(access, 'READ', await items.find(id, nsfilter), nsfilter)),
    handler: async ({ query: { nsfilter: namespace, transactional }, body, access }) => {
      const created = await items.create(body, transactional, { namespace, access });
      const shown = created.items.map((item) => showItem(item));
      return createdPage(shown, created.failures, transactional);
    },
  });

/** Named items (docs/contract.md, "Named user items"). */
export const itemRoutes = ({ items }: Deps) =>
  routes('/nameduseritems', [
    createRoute(items),
    route.get('/', {
      operation: 'items.list',
      summary: 'Find the named items that the caller may read.',
      errors: [...invalidLists, errors.queryTooBroad],
      needs: documents({ rule: 'filter', action: 'READ', resource: ITEM_TYPE }),
      query: ListItemsQuery,
      replies: { 200: ItemPage },
      handler: async ({ query, access }) => {
        const list = listQueryOf(query);
        return okPage(await items.list(list, query.nsfilter, access, query.userItemVersionId), list.paging);
      },
    }),
    route.get('/:id', {
      operation: 'items.get',
      summary: 'Read a named item with its latest version, or with others.',
      description: 'A reply with a projection has no `ETag`.',
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
      replies: { 200: ProjectedItem },
      handler: async ({ resource, query }) => ok(await items.view(resource, versionChoiceOf(query), query.project)),
    }),
    ...changingRoutes(items),
  ]);

const changingRoutes = (items: Deps['items']) => [
  route.put('/:id', {
    operation: 'items.update',
    summary: 'Change the name, description, type and namespaces of an item.',
    description:
      'Adding a namespace requires CREATE in it, and SHARE with READ, CREATE, EDIT and DELETE on the item in one that it has. ' +
      'Removing one requires DELETE in it, or in the namespace of the call that created the item; removing that one requires DELETE in it.',
    errors: [errors.namespaceNotIncluded, commonErrors.conflict],
    params: ItemParams,
    query: WriteQuery,
    body: ItemChange,
    needs: permit('EDIT', ITEM_TYPE, items),
    replies: { 204: null },
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
      'This requires DELETE in the namespace of the call that created it. Without, the item is only taken out of the namespace of the call.',
    errors: [commonErrors.conflict],
    params: ItemParams,
    query: WriteQuery,
    needs: permit('DELETE', ITEM_TYPE, items),
    replies: { 204: null },
    ifMatch: true,
    handler: async ({ resource, query: { nsfilter: namespace }, access, precondition }) => {
      await items.remove(resource, { namespace, access }, precondition);
      return noContent();
    },
  }),
];
