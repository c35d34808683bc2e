import { z } from 'zod';
import { pageOf } from '@dtplatform/http';
import { ItemMetadata } from '../../domain/item-metadata.js';
import { RelatedItem } from '../../domain/relateditems/related-item.js';
import { createdPageOf } from '../created-page.js';
import { listParameters } from '../list-parameters.js';
import { WriteQuery } from '../nameduseritems/nameduseritems.schemas.js';

const MAX_ENTRIES = 1000;

/** The version that related items belong to; the tip by default. */
const userItemVersionId = z.string().min(1).max(128).optional();

export const CreateRelatedItemsQuery = WriteQuery.extend({ userItemVersionId });
export const ListRelatedItemsQuery = z.object({ ...listParameters, userItemVersionId });

/** What an entry must hold depends on the collection. */
export const CreateRelatedItemsBody = z.array(z.looseObject({})).min(1).max(MAX_ENTRIES);
export const CreatedRelatedItems = createdPageOf(RelatedItem);
export const RelatedItemPage = pageOf(RelatedItem.extend({ _metadata: ItemMetadata.partial() }).partial()).extend({
  _includeTotal: z.boolean(),
});
