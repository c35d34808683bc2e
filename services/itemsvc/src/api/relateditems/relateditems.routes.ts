import { ok, okPage, parseInput, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { NEW_RELATED_ITEMS } from '../../domain/relateditems/related-item.js';
import { errors } from '../../errors.js';
import { createdPage } from '../created-page.js';
import { listQueryOf } from '../list-parameters.js';
import { ItemParams, MAX_BODY_BYTES } from '../nameduseritems/nameduseritems.schemas.js';
import {
  CreatedRelatedItems,
  CreateRelatedItemsBody,
  CreateRelatedItemsQuery,
  ListRelatedItemsQuery,
  RelatedItemPage,
} from './relateditems.schemas.js';

/** The items in a collection (docs/contract.md, "File items of a file collection"; other collections work alike). */
export const relatedItemRoutes = ({ items, relatedItems }: Deps) =>
  routes('/nameduseritems', [
    route.post('/:id/relateditems', {
      operation: 'relatedItems.create',
      summary: 'Add items to a collection: file items, telemetry items or free-form items.',
      params: ItemParams,
      query: CreateRelatedItemsQuery,
      body: CreateRelatedItemsBody,
      maxBodyBytes: MAX_BODY_BYTES,
      needs: permit('CREATE', items),
      replies: { 201: CreatedRelatedItems },
      handler: async ({ query, body, resource: item, access: { principal }, signal }) => {
        const { nsfilter: namespace, userItemVersionId: versionId, transactional } = query;
        const entries = NEW_RELATED_ITEMS[item._itemClass];
        if (!entries) throw errors.noRelatedItems();
        const wanted = parseInput(entries, body, 'body');
        const context = { item, versionId, namespace, principal, signal };
        const added = await relatedItems.add(wanted, transactional, context);
        return createdPage(added.relatedItems, added.failures, transactional);
      },
    }),
    route.get('/:id/relateditems', {
      operation: 'relatedItems.list',
      summary: 'Find the items in a collection.',
      params: ItemParams,
      query: ListRelatedItemsQuery,
      needs: permit('READ', items),
      replies: { 200: RelatedItemPage },
      handler: async ({ resource, query }) => {
        const list = listQueryOf(query);
        const page = okPage(await relatedItems.list(resource, query.userItemVersionId, list), list.paging);
        return ok({ ...page.body, _includeTotal: true });
      },
    }),
  ]);
