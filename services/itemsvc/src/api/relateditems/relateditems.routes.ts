import { commonErrors } from '@dtplatform/errors';
import { accepted, locationHeader, okCountedPage, parseInput, route, routes } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { z } from 'zod';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE } from '../../domain/nameduseritems/item.js';
import type { Item } from '../../domain/nameduseritems/item.js';
import { createCollections } from '../../domain/relateditems/collections.js';
import { NEW_RELATED_ITEMS, showRelatedItem } from '../../domain/relateditems/related-item.js';
import type { NewRelatedItem } from '../../domain/relateditems/related-item.js';
import type { AddContext } from '../../domain/relateditems/related-items.js';
import { errors } from '../../errors.js';
import { createdCountedPage } from '../created-page.js';
import { listQueryOf } from '../list-parameters.js';
import { ItemParams, MAX_BODY_BYTES } from '../nameduseritems/nameduseritems.schemas.js';
import { invalidLists } from '../query.errors.js';
import { unaddable } from './relateditems.errors.js';
import {
  BulkRelatedItemsBody,
  CreatedRelatedItems,
  CreateRelatedItemsBody,
  CreateRelatedItemsQuery,
  ListRelatedItemsQuery,
  MAX_ENTRIES,
  RelatedItemPage,
  ShownBulkBody,
  ShownCreateBody,
} from './relateditems.schemas.js';

/** The items in a collection (docs/contract.md, "File items of a file collection"; other collections work alike). */
export function relatedItemRoutes({ items, relatedItems, relatedItemChanges }: Deps) {
  const collections = createCollections(items);
  const again = async (id: string, call: WriteCall) =>
    showRelatedItem(await relatedItemChanges.get(id, contextOf(call)));
  async function addNow(wanted: NewRelatedItem[], transactional: boolean, context: AddContext) {
    const added = await relatedItems.add(wanted, transactional, context);
    return createdCountedPage(added.relatedItems, added.failures, transactional);
  }

  return routes('/nameduseritems', [
    route.post('/:id/relateditems', {
      operation: 'relatedItems.create',
      summary: 'Add up to 1000 items to a collection: file items, telemetry items or free-form items.',
      description: 'The class of the collection says which. The body has at most 10 MiB.',
      errors: unaddable,
      params: ItemParams,
      query: CreateRelatedItemsQuery,
      body: CreateRelatedItemsBody,
      shownBody: ShownCreateBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', ITEM_TYPE, collections),
      replies: { 201: CreatedRelatedItems },
      again,
      handler: async (call) => {
        const context = contextOf(call);
        return addNow(wantedOf(call.body, context), call.query.transactional, context);
      },
    }),
    route.post('/:id/relateditems/bulk', {
      operation: 'relatedItems.createMany',
      summary: 'Add many items to a collection. More than 1000 are added later, by a task.',
      description:
        'Up to 100 000 items, in at most 10 MiB. With `transactional`, they are up to 1000. The response of the task has `_total`, how many were added, and `_failures`.',
      errors: [...unaddable, errors.transactionTooLarge, commonErrors.tooManyRequests],
      params: ItemParams,
      query: CreateRelatedItemsQuery,
      body: BulkRelatedItemsBody,
      shownBody: ShownBulkBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', ITEM_TYPE, collections),
      replies: { 201: CreatedRelatedItems, 202: null },
      headers: { 202: [locationHeader] },
      again,
      handler: async (call) => {
        const context = contextOf(call);
        const { transactional } = call.query;
        if (transactional && call.body.length > MAX_ENTRIES) throw errors.transactionTooLarge();
        const wanted = wantedOf(call.body, context);
        if (wanted.length <= MAX_ENTRIES) return addNow(wanted, transactional, context);
        const taskId = await relatedItems.acceptBulk(wanted, call.bodyBytes, context);
        return accepted(`/itemsvc/api/v1/asynctasks/${taskId}`);
      },
    }),
    route.get('/:id/relateditems', {
      operation: 'relatedItems.list',
      summary: 'Find the items in a collection that the caller may read.',
      errors: [...invalidLists, errors.noRelatedItems],
      params: ItemParams,
      query: ListRelatedItemsQuery,
      needs: permit('READ', ITEM_TYPE, collections),
      replies: { 200: RelatedItemPage },
      handler: async ({ resource: item, query, access }) => {
        const list = listQueryOf(query);
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        return okCountedPage(await relatedItems.list({ item, versionId, namespace, access }, list), list.paging);
      },
    }),
  ]);
}

type WriteCall = Pick<RequestContext, 'access' | 'signal'> & {
  resource: Item;
  query: z.infer<typeof CreateRelatedItemsQuery>;
};

const contextOf = ({ resource: item, query, access, signal }: WriteCall): AddContext => ({
  item,
  versionId: query.userItemVersionId,
  namespace: query.nsfilter,
  access,
  signal,
});

/** The entries of a body as the class of the collection wants them. @throws 400 */
function wantedOf(body: object[], { item }: AddContext): NewRelatedItem[] {
  const entries = NEW_RELATED_ITEMS[item._itemClass];
  if (!entries) throw errors.noRelatedItems();
  return parseInput(entries, body, 'body');
}
