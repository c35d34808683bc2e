import { z } from 'zod';
import { pageOf } from '@dtplatform/http';
import {
  MAX_RELATED_COLLECTIONS,
  NewRelatedCollection,
  ProjectedRelatedCollection,
  RelatedCollection,
} from '../../domain/relatedcollections/related-collection.js';
import { createdPageOf } from '../created-page.js';
import { listParameters, queryParameter } from '../list-parameters.js';
import { ItemParams, userItemVersionId, WriteQuery } from '../nameduseritems/nameduseritems.schemas.js';

export const WriteRelatedCollectionsQuery = WriteQuery.extend({ userItemVersionId });
/** Unlike in other lists, `query` is required. */
export const ListRelatedCollectionsQuery = z.object({
  ...listParameters,
  query: queryParameter.describe(
    'JSON: up to 200 conditions in the query language of MongoDB, such as `{"_userType": "door"}`; `{}` for everything.',
  ),
  userItemVersionId,
});
export const RelatedCollectionParams = ItemParams.extend({
  relCollectionId: z.string().min(1).max(128).describe('The `_id` of the relation.'),
});

export const CreateRelatedCollectionsBody = z.array(NewRelatedCollection).min(1).max(MAX_RELATED_COLLECTIONS);
export const CreatedRelatedCollections = createdPageOf(RelatedCollection).meta({
  id: 'CreatedRelatedCollections',
  description: 'The items that were related.',
});
export const RelatedCollectionPage = pageOf(ProjectedRelatedCollection).meta({
  id: 'RelatedCollectionPage',
  description: 'A page of related items.',
});
