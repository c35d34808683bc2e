import { z } from 'zod';
import { countedPageOf, nsfilter } from '@dtplatform/http';
import { AnyNewRelatedItem, ProjectedRelatedItem, RelatedItem } from '../../domain/relateditems/related-item.js';
import { createdCountedPageOf } from '../created-page.js';
import { listParameters } from '../list-parameters.js';
import { ItemParams, userItemVersionId, WriteManyQuery, WriteQuery } from '../nameduseritems/nameduseritems.schemas.js';

/** More are added by the worker. */
export const MAX_ENTRIES = 1000;

export const RelatedItemParams = ItemParams.extend({
  fileItemId: z.string().min(1).max(128).describe('The `_id` of the related item.'),
});
export const GetRelatedItemQuery = z.object({ nsfilter, userItemVersionId });
export const CreateRelatedItemsQuery = WriteManyQuery.extend({ userItemVersionId });
export const WriteRelatedItemQuery = WriteQuery.extend({ userItemVersionId });
export const ListRelatedItemsQuery = z.object({ ...listParameters, userItemVersionId });

/** What an entry must hold depends on the collection. */
export const ChangeRelatedItemBody = z.looseObject({});
export const CreateRelatedItemsBody = z.array(ChangeRelatedItemBody).min(1).max(MAX_ENTRIES);
/** A body of 10 MiB could hold millions of entries. */
const MAX_BULK_ENTRIES = 100_000;
export const BulkRelatedItemsBody = z.array(ChangeRelatedItemBody).min(1).max(MAX_BULK_ENTRIES);
/** The same for the reference. */
export const ShownCreateBody = z.array(AnyNewRelatedItem).min(1).max(MAX_ENTRIES);
export const ShownBulkBody = z.array(AnyNewRelatedItem).min(1).max(MAX_BULK_ENTRIES);

export const CreatedRelatedItems = createdCountedPageOf(RelatedItem).meta({
  id: 'CreatedRelatedItems',
  description: 'The items that were added to the collection.',
});
export const RelatedItemPage = countedPageOf(ProjectedRelatedItem).meta({
  id: 'RelatedItemPage',
  description: 'A page of the items of a collection.',
});
