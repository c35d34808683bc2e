import { z } from 'zod';
import { nsfilter, pageOf } from '@dtplatform/http';
import { MAX_INDEXES, NewIndex, ShownIndex } from '../../domain/indexes/related-index.js';
import { ItemParams } from '../nameduseritems/nameduseritems.schemas.js';

export const IndexParams = ItemParams.extend({
  indexName: z.string().min(1).max(128).describe('The name of the index.'),
});
export const IndexesQuery = z.object({ nsfilter });
export const CreateIndexesBody = z.array(NewIndex).min(1).max(MAX_INDEXES);
export const IndexPage = pageOf(ShownIndex).meta({ id: 'IndexPage', description: 'The indexes of a collection.' });
