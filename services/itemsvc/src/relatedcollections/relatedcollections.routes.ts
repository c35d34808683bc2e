import { z } from 'zod';
import { noContent, okPage, pageOf, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { createdPage, createdPageOf } from '../nameduseritems/created-page.http.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import { ItemParams, userItemVersionId, WriteQuery } from '../nameduseritems/nameduseritems.routes.js';
import { invalidLists, listParameters, listQueryOf, queryParameter } from '../query/list-parameters.http.js';
import {
  MAX_RELATED_COLLECTIONS,
  NewRelatedCollection,
  ProjectedRelatedCollection,
  RelatedCollection,
} from './related-collection.js';
import type { RelatedCollections } from './related-collections.js';

const WriteRelatedCollectionsQuery = WriteQuery.extend({ userItemVersionId });
/** Unlike in other lists, `query` is required. */
const ListRelatedCollectionsQuery = z.object({
  ...listParameters,
  query: queryParameter.describe(
    'JSON: up to 200 conditions in the query language of MongoDB, such as `{"_userType": "door"}`; `{}` for everything.',
  ),
  userItemVersionId,
});
const RelatedCollectionParams = ItemParams.extend({
  relCollectionId: z.string().min(1).max(128).describe('The `_id` of the relation.'),
});

const CreateRelatedCollectionsBody = z.array(NewRelatedCollection).min(1).max(MAX_RELATED_COLLECTIONS);
const CreatedRelatedCollections = createdPageOf(RelatedCollection).meta({
  id: 'CreatedRelatedCollections',
  description: 'The items that were related.',
});
const RelatedCollectionPage = pageOf(ProjectedRelatedCollection).meta({
  id: 'RelatedCollectionPage',
  description: 'A page of related items.',
});

interface Parts {
  items: Items;
  relatedCollections: RelatedCollections;
}

export const relatedCollectionRoutes = ({ items, relatedCollections }: Parts) =>
  routes('/nameduseritems', [
    route.post('/:id/relatedcollections', {
      operation: 'relatedCollections.create',
      summary: 'Relate collections and other items to a composite item, all or none.',
      errors: [
        errors.noRelatedCollections,
        errors.relatedCollectionMissing,
        errors.relatedCollectionCycle,
        errors.tooManyRelatedCollections,
      ],
      params: ItemParams,
      query: WriteRelatedCollectionsQuery,
      body: CreateRelatedCollectionsBody,
      needs: permit('CREATE', ITEM_TYPE, items),
      responses: { 201: CreatedRelatedCollections },
      again: (id, { resource: item, query: { nsfilter: namespace, userItemVersionId: versionId }, access }) =>
        relatedCollections.get(id, { item, versionId, namespace, access }),
      handler: async ({ resource: item, query, body, access }) => {
        const { nsfilter: namespace, userItemVersionId: versionId, transactional } = query;
        const related = await relatedCollections.add(body, { item, versionId, namespace, access });
        return createdPage(related, [], transactional);
      },
    }),
    route.get('/:id/relatedcollections', {
      operation: 'relatedCollections.list',
      summary: 'Find the items related to a composite item that the caller may read.',
      errors: [...invalidLists, errors.noRelatedCollections],
      params: ItemParams,
      query: ListRelatedCollectionsQuery,
      needs: permit('READ', ITEM_TYPE, items),
      responses: { 200: RelatedCollectionPage },
      handler: async ({ resource: item, query, access }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        const list = listQueryOf(query);
        return okPage(await relatedCollections.list({ item, versionId, namespace, access }, list), list.paging);
      },
    }),
    route.delete('/:id/relatedcollections/:relCollectionId', {
      operation: 'relatedCollections.delete',
      summary: 'Remove the relation of a composite item to another item.',
      errors: [errors.noRelatedCollections],
      params: RelatedCollectionParams,
      query: WriteRelatedCollectionsQuery,
      needs: permit('DELETE', ITEM_TYPE, items),
      responses: { 204: null },
      handler: async ({ resource: item, params: { relCollectionId }, query, access }) => {
        const { nsfilter: namespace, userItemVersionId: versionId } = query;
        await relatedCollections.remove(relCollectionId, { item, versionId, namespace, access });
        return noContent();
      },
    }),
  ]);
