import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import {
  accepted,
  countedPageOf,
  locationHeader,
  noContent,
  nsfilter,
  ok,
  okCountedPage,
  parseInput,
  route,
  routes,
} from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { createdCountedPage, createdCountedPageOf } from '../nameduseritems/created-page.http.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Item } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import {
  ItemParams,
  MAX_BODY_BYTES,
  userItemVersionId,
  WriteManyQuery,
  WriteQuery,
} from '../nameduseritems/nameduseritems.routes.js';
import { invalidLists, listParameters, listQueryOf } from '../query/list-parameters.http.js';
import { createCollections } from './collections.js';
import {
  AnyChangedRelatedItem,
  AnyNewRelatedItem,
  CHANGED_RELATED_ITEMS,
  NEW_RELATED_ITEMS,
  ProjectedRelatedItem,
  RelatedItem,
  revisionOfRelatedItem,
  showRelatedItem,
} from './related-item.js';
import type { NewRelatedItem } from './related-item.js';
import type { AddContext, RelatedItemChanges, RelatedItems } from './related-items.js';

/** Larger requests are added by the worker. */
const MAX_ENTRIES = 1000;

const RelatedItemParams = ItemParams.extend({
  fileItemId: z.string().min(1).max(128).describe('The `_id` of the related item.'),
});
const GetRelatedItemQuery = z.object({ nsfilter, userItemVersionId });
const CreateRelatedItemsQuery = WriteManyQuery.extend({ userItemVersionId });
const WriteRelatedItemQuery = WriteQuery.extend({ userItemVersionId });
const ListRelatedItemsQuery = z.object({ ...listParameters, userItemVersionId });

/** Validated further by class of collection. */
const ChangeRelatedItemBody = z.looseObject({});
const CreateRelatedItemsBody = z.array(ChangeRelatedItemBody).min(1).max(MAX_ENTRIES);
/** A body of 10 MiB could otherwise have millions of entries. */
const MAX_BULK_ENTRIES = 100_000;
const BulkRelatedItemsBody = z.array(ChangeRelatedItemBody).min(1).max(MAX_BULK_ENTRIES);
/** For the API description. */
const ShownCreateBody = z.array(AnyNewRelatedItem).min(1).max(MAX_ENTRIES);
const ShownBulkBody = z.array(AnyNewRelatedItem).min(1).max(MAX_BULK_ENTRIES);

const CreatedRelatedItems = createdCountedPageOf(RelatedItem).meta({
  id: 'CreatedRelatedItems',
  description: 'The items that were added to the collection.',
});
const RelatedItemPage = countedPageOf(ProjectedRelatedItem).meta({
  id: 'RelatedItemPage',
  description: 'A page of the items of a collection.',
});

interface Parts {
  items: Items;
  relatedItems: RelatedItems;
  relatedItemChanges: RelatedItemChanges;
}

const unaddable = [errors.noRelatedItems, errors.nothingWritten, errors.fileMissing];

/** Related items (docs/contract.md, "File items of a file collection"; other collections work alike). */
export function relatedItemRoutes({ items, relatedItems, relatedItemChanges }: Parts) {
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
      description: 'The class of the collection determines which. The body can be up to 10 MiB.',
      errors: unaddable,
      params: ItemParams,
      query: CreateRelatedItemsQuery,
      body: CreateRelatedItemsBody,
      shownBody: ShownCreateBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', ITEM_TYPE, collections),
      responses: { 201: CreatedRelatedItems },
      again,
      handler: async (call) => {
        const context = contextOf(call);
        return addNow(wantedOf(call.body, context), call.query.transactional, context);
      },
    }),
    route.post('/:id/relateditems/bulk', {
      operation: 'relatedItems.createMany',
      summary: 'Add many items to a collection. More than 1000 are added asynchronously by a task.',
      description:
        'Up to 100 000 items, or 1000 with `transactional`, in a body of up to 10 MiB. The response of the task contains `_total`, the number added, and `_failures`.',
      errors: [...unaddable, errors.transactionTooLarge, commonErrors.tooManyRequests],
      params: ItemParams,
      query: CreateRelatedItemsQuery,
      body: BulkRelatedItemsBody,
      shownBody: ShownBulkBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', ITEM_TYPE, collections),
      responses: { 201: CreatedRelatedItems, 202: null },
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
      responses: { 200: RelatedItemPage },
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

/** Validates entries by the class of the collection. @throws 400 */
function wantedOf(body: object[], { item }: AddContext): NewRelatedItem[] {
  const entries = NEW_RELATED_ITEMS[item._itemClass];
  if (!entries) throw errors.noRelatedItems();
  return parseInput(entries, body, 'body');
}

export function singleRelatedItemRoutes({ items, relatedItemChanges }: Omit<Parts, 'relatedItems'>) {
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
      responses: { 200: RelatedItem },
      handler: async ({ params, resource: item, query, access }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        return ok(await relatedItemChanges.get(params.fileItemId, { item, versionId, namespace, access }));
      },
    }),
    route.put('/:id/relateditems/:fileItemId', {
      operation: 'relatedItems.update',
      summary: 'Replace an item of a collection.',
      description:
        'All fields but `_id` and `_metadata` are replaced; `_guid` is kept if it is not sent. The body can be up to 10 MiB.',
      errors: [errors.noRelatedItems, errors.fileMissing, errors.versionTooLarge],
      params: RelatedItemParams,
      query: WriteRelatedItemQuery,
      body: ChangeRelatedItemBody,
      shownBody: AnyChangedRelatedItem,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('EDIT', ITEM_TYPE, collections),
      etag: revisionOfRelatedItem,
      show: showRelatedItem,
      responses: { 200: RelatedItem },
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
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ params, resource: item, query, access, precondition }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        await relatedItemChanges.remove(params.fileItemId, { item, versionId, namespace, access }, precondition);
        return noContent();
      },
    }),
  ]);
}
