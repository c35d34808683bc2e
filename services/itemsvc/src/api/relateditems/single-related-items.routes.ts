import { noContent, ok, parseInput, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE } from '../../domain/nameduseritems/item.js';
import { createCollections } from '../../domain/relateditems/collections.js';
import {
  CHANGED_RELATED_ITEMS,
  RelatedItem,
  revisionOfRelatedItem,
  showRelatedItem,
} from '../../domain/relateditems/related-item.js';
import { errors } from '../../errors.js';
import { MAX_BODY_BYTES } from '../nameduseritems/nameduseritems.schemas.js';
import {
  ChangeRelatedItemBody,
  GetRelatedItemQuery,
  RelatedItemParams,
  WriteRelatedItemsQuery,
} from './relateditems.schemas.js';

/** One of the items in a collection (docs/contract.md, "File items of a file collection"). */
export function singleRelatedItemRoutes({ items, relatedItemChanges }: Deps) {
  const collections = createCollections(items);
  return routes('/nameduseritems', [
    route.get('/:id/relateditems/:relatedId', {
      operation: 'relatedItems.get',
      summary: 'An item of a collection.',
      params: RelatedItemParams,
      query: GetRelatedItemQuery,
      needs: permit('READ', ITEM_TYPE, collections),
      etag: revisionOfRelatedItem,
      show: showRelatedItem,
      replies: { 200: RelatedItem },
      handler: async ({ params, resource: item, query, access }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        return ok(await relatedItemChanges.get(params.relatedId, { item, versionId, namespace, access }));
      },
    }),
    route.put('/:id/relateditems/:relatedId', {
      operation: 'relatedItems.update',
      summary: 'Replace an item of a collection.',
      params: RelatedItemParams,
      query: WriteRelatedItemsQuery,
      body: ChangeRelatedItemBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('EDIT', ITEM_TYPE, collections),
      etag: revisionOfRelatedItem,
      show: showRelatedItem,
      replies: { 200: RelatedItem },
      ifMatch: true,
      handler: async ({ params, resource: item, query, body, access, signal, precondition }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        const entry = CHANGED_RELATED_ITEMS[item._itemClass];
        if (!entry) throw errors.noRelatedItems();
        const wanted = parseInput(entry, body, 'body');
        const context = { item, versionId, namespace, access, signal };
        return ok(await relatedItemChanges.replace(params.relatedId, wanted, context, precondition));
      },
    }),
    route.delete('/:id/relateditems/:relatedId', {
      operation: 'relatedItems.delete',
      summary: 'Remove an item from a collection.',
      params: RelatedItemParams,
      query: WriteRelatedItemsQuery,
      needs: permit('DELETE', ITEM_TYPE, collections),
      replies: { 204: null },
      ifMatch: true,
      handler: async ({ params, resource: item, query, access, precondition }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        await relatedItemChanges.remove(params.relatedId, { item, versionId, namespace, access }, precondition);
        return noContent();
      },
    }),
  ]);
}
