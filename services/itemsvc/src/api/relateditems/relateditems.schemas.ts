import { z } from 'zod';
import { nsfilter, pageOf } from '@dtplatform/http';
import { ItemMetadata } from '../../domain/item-metadata.js';
import { RelatedItem } from '../../domain/relateditems/related-item.js';
import { createdPageOf } from '../created-page.js';
import { listParameters } from '../list-parameters.js';
import { ItemParams, userItemVersionId, WriteQuery } from '../nameduseritems/nameduseritems.schemas.js';

/** More are added by the worker. */
export const MAX_ENTRIES = 1000;

export const RelatedItemParams = ItemParams.extend({ relatedId: z.string().min(1).max(128) });
export const GetRelatedItemQuery = z.object({ nsfilter, userItemVersionId });
export const WriteRelatedItemsQuery = WriteQuery.extend({ userItemVersionId });
export const ListRelatedItemsQuery = z.object({ ...listParameters, userItemVersionId });

/** What an entry must hold depends on the collection. */
export const ChangeRelatedItemBody = z.looseObject({});
export const CreateRelatedItemsBody = z.array(ChangeRelatedItemBody).min(1).max(MAX_ENTRIES);
/** A body of 10 MiB could hold millions of entries. */
const MAX_BULK_ENTRIES = 100_000;
export const BulkRelatedItemsBody = z.array(ChangeRelatedItemBody).min(1).max(MAX_BULK_ENTRIES);
export const CreatedRelatedItems = createdPageOf(RelatedItem);
export const RelatedItemPage = pageOf(RelatedItem.extend({ _metadata: ItemMetadata.partial() }).partial()).extend({
  _includeTotal: z.boolean(),
});
