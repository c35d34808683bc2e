import { noContent, route, routes } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permitCreate } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE } from '../../domain/items/item.js';
import { createItems } from './create-items.handler.js';
import { getItem } from './get-item.handler.js';
import { needsItem } from './item-needs.js';
import {
  CreatedItems,
  CreateItemsBody,
  GetItemQuery,
  ItemPage,
  ItemParams,
  ListItemsQuery,
  ProjectedItem,
  UpdateItemBody,
  WriteQuery,
} from './nameduseritems.schemas.js';
import { listItems } from './list-items.handler.js';

type CreateContext = RequestContext<unknown, WriteQuery, CreateItemsBody>;

export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export const itemRoutes = (deps: Deps) =>
  routes('/nameduseritems', [
    route.post('/', {
      operation: 'items.create',
      summary: 'Create named items.',
      query: WriteQuery,
      body: CreateItemsBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permitCreate(ITEM_TYPE, ({ query, body }: CreateContext) => [
        query.nsfilter,
        ...body.flatMap(({ _namespaces }) => _namespaces),
      ]),
      replies: { 201: CreatedItems },
      handler: createItems(deps),
    }),
    route.get('/', {
      operation: 'items.list',
      summary: 'Find named items.',
      query: ListItemsQuery,
      replies: { 200: ItemPage },
      handler: listItems(deps),
    }),
    route.get('/:id', {
      operation: 'items.get',
      summary: 'A named item with its latest version, or with others.',
      params: ItemParams,
      query: GetItemQuery,
      needs: needsItem('READ', deps, 'projected'),
      replies: { 200: ProjectedItem },
      handler: getItem(deps),
    }),
    route.put('/:id', {
      operation: 'items.update',
      summary: 'Change the name, description, type and namespaces of an item.',
      params: ItemParams,
      query: WriteQuery,
      body: UpdateItemBody,
      needs: needsItem('EDIT', deps),
      replies: { 204: null },
      handler: async ({ resource, body, query, access, requireMatch }) => {
        await deps.items.update(resource, body, { namespace: query.nsfilter, access }, requireMatch);
        return noContent();
      },
    }),
    route.delete('/:id', {
      operation: 'items.delete',
      summary: 'Delete an item with its versions and related items.',
      params: ItemParams,
      query: WriteQuery,
      needs: needsItem('DELETE', deps),
      replies: { 204: null },
      handler: async ({ resource, access, requireMatch }) => {
        await deps.items.remove(resource, access, requireMatch);
        return noContent();
      },
    }),
  ]);
