import { noContent, ok, parseInput, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE } from '../../domain/nameduseritems/item.js';
import { createCollections } from '../../domain/relateditems/collections.js';
import {
  AnyChangedRelatedItem,
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
  WriteRelatedItemQuery,
} from './relateditems.schemas.js';

/** One of the items in a collection (docs/contract.md, "File items of a file collection"). */
export function singleRelatedItemRoutes({ items, relatedItemChanges }: Deps) {
  const collections = createCollections(items);
  return routes('/nameduseritems', [
    route.get('/:id/relateditems/:fileItemId', {
      operation: 'relatedItems.get',
      summary: 'Read an item of a collection.',
      errors: [errors.noRelatedItems],
      params: RelatedItemParams,
      query: GetRelatedItemQuery,
      needs: permit('READ', ITEM_TYPE, collections),
      etag: revisionOfRelatedItem,
      show: showRelatedItem,
      replies: { 200: RelatedItem },
      handler: async ({ params, resource: item, query, access }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        return ok(await relatedItemChanges.get(params.fileItemId, { item, versionId, namespace, access }));
      },
    }),
    route.put('/:id/relateditems/:fileItemId', {
      operation: 'relatedItems.update',
      summary: 'Replace an item of a collection.',
      description:
        'All fields but `_id` and `_metadata` are replaced; a `_guid` that is not sent is kept. The body has at most 10 MiB.',
      errors: [errors.noRelatedItems, errors.fileMissing, errors.versionTooLarge],
      params: RelatedItemParams,
      query: WriteRelatedItemQuery,
      body: ChangeRelatedItemBody,
      shownBody: AnyChangedRelatedItem,
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
        return ok(await relatedItemChanges.replace(params.fileItemId, wanted, context, precondition));
      },
    }),
    route.delete('/:id/relateditems/:fileItemId', {
      operation: 'relatedItems.delete',
      summary: 'Remove an item from a collection.',
      errors: [errors.noRelatedItems],
      params: RelatedItemParams,
      query: WriteRelatedItemQuery,
      needs: permit('DELETE', ITEM_TYPE, collections),
      replies: { 204: null },
      ifMatch: true,
      handler: async ({ params, resource: item, query, access, precondition }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        await relatedItemChanges.remove(params.fileItemId, { item, versionId, namespace, access }, precondition);
        return noContent();
      },
    }),
  ]);
}
