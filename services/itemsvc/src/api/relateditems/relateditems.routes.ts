import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { needsItem } from '../nameduseritems/item-needs.js';
import { MAX_BODY_BYTES } from '../nameduseritems/nameduseritems.routes.js';
import { ItemParams } from '../nameduseritems/nameduseritems.schemas.js';
import { createRelatedItems } from './create-related-items.handler.js';
import { listRelatedItems } from './list-related-items.handler.js';
import {
  CreatedRelatedItems,
  CreateRelatedItemsBody,
  CreateRelatedItemsQuery,
  ListRelatedItemsQuery,
  RelatedItemPage,
} from './relateditems.schemas.js';

export const relatedItemRoutes = (deps: Deps) =>
  routes('/nameduseritems', [
    route.post('/:id/relateditems', {
      operation: 'relatedItems.create',
      summary: 'Add items to a collection: file items, telemetry items or free-form items.',
      params: ItemParams,
      query: CreateRelatedItemsQuery,
      body: CreateRelatedItemsBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: needsItem('CREATE', deps),
      replies: { 201: CreatedRelatedItems },
      handler: createRelatedItems(deps),
    }),
    route.get('/:id/relateditems', {
      operation: 'relatedItems.list',
      summary: 'Find the items in a collection.',
      params: ItemParams,
      query: ListRelatedItemsQuery,
      needs: needsItem('READ', deps),
      replies: { 200: RelatedItemPage },
      handler: listRelatedItems(deps),
    }),
  ]);
