import { commonErrors } from '@dtplatform/errors';
import { documents, ok, route, routes, wholePage } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE } from '../../domain/nameduseritems/item.js';
import type { SearchContext } from '../../domain/search/searched-collections.js';
import { errors } from '../../errors.js';
import { invalidLists } from '../query.errors.js';
import { SearchBody, SearchPage, SearchQuery } from './search.schemas.js';

/** Searches of related items (docs/contract.md, "Search"). */
export const searchRoutes = ({ search }: Deps) =>
  routes('/nameduseritems', [
    route.post('/search', {
      operation: 'items.search',
      reads: true,
      summary:
        'Search the related items of several collections, with what they are related to, or for distinct values.',
      description:
        'Up to 100 collections, and 10 000 items in a reply. All collections that match are in it; the page is that of their items.',
      errors: [...invalidLists, errors.searchTooBroad, commonErrors.pageTooLarge],
      query: SearchQuery,
      body: SearchBody,
      needs: documents({ rule: 'filter', action: 'READ', resource: ITEM_TYPE }),
      replies: { 200: SearchPage },
      handler: async ({ query: { nsfilter: namespace }, body, access }) =>
        ok(wholePage(await searchFor(search, body, { namespace, access }))),
    }),
  ]);

const searchFor = (search: Deps['search'], body: SearchBody, context: SearchContext) => {
  const { $findInCollections, $findWithRelated, $distinctRelatedItemFields } = body;
  if ($findInCollections) return search.findInCollections($findInCollections, context);
  if ($findWithRelated) return search.findWithRelated($findWithRelated, context);
  return search.distinct($distinctRelatedItemFields!, context);
};
