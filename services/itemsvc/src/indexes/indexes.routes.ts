import { z } from 'zod';
import { created, noContent, nsfilter, ok, pageOf, route, routes, wholePage } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import { ItemParams } from '../nameduseritems/nameduseritems.routes.js';
import type { Indexes } from './indexes.js';
import { MAX_INDEXES, NewIndex, showIndex, ShownIndex } from './related-index.js';

const IndexParams = ItemParams.extend({
  indexName: z.string().min(1).max(128).describe('The name of the index.'),
});
const IndexesQuery = z.object({ nsfilter });
const CreateIndexesBody = z.array(NewIndex).min(1).max(MAX_INDEXES);
const IndexPage = pageOf(ShownIndex).meta({ id: 'IndexPage', description: 'The indexes of a collection.' });

export const indexRoutes = ({ items, indexes }: { items: Items; indexes: Indexes }) =>
  routes('/nameduseritems', [
    route.post('/:id/indexes', {
      operation: 'indexes.create',
      summary: 'Create indexes on fields of the items in a collection. They serve queries once they are READY.',
      description:
        'A collection has at most 10 indexes, one of them for text. An existing index is returned unchanged.',
      errors: [errors.noRelatedItems, errors.invalidIndex, errors.indexExists, errors.tooManyIndexes],
      params: ItemParams,
      query: IndexesQuery,
      body: CreateIndexesBody,
      needs: permit('EDIT', ITEM_TYPE, items),
      responses: { 201: IndexPage },
      handler: async ({ resource, body }) =>
        created(wholePage((await indexes.create(resource, body)).map((index) => showIndex(index)))),
    }),
    route.get('/:id/indexes', {
      operation: 'indexes.list',
      summary: 'List the indexes of a collection.',
      errors: [errors.noRelatedItems],
      params: ItemParams,
      query: IndexesQuery,
      needs: permit('READ', ITEM_TYPE, items),
      responses: { 200: IndexPage },
      handler: async ({ resource }) => ok(wholePage((await indexes.list(resource)).map((index) => showIndex(index)))),
    }),
    route.delete('/:id/indexes/:indexName', {
      operation: 'indexes.delete',
      summary: 'Remove an index of a collection.',
      errors: [errors.noRelatedItems],
      params: IndexParams,
      query: IndexesQuery,
      needs: permit('EDIT', ITEM_TYPE, items),
      responses: { 204: null },
      handler: async ({ resource, params }) => {
        await indexes.remove(resource, params.indexName);
        return noContent();
      },
    }),
  ]);
