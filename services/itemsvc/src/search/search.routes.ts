import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { documents, nsfilter, ok, pageOf, route, routes, wholePage } from '@dtplatform/http';
import { errors } from '../errors.js';
import { ITEM_TYPE, ProjectedItem } from '../nameduseritems/item.js';
import { isObject, unknownOperator } from '../query/expression.js';
import { DEFAULT_PAGE_SIZE, invalidLists, Page } from '../query/list-parameters.http.js';
import { parseProjection, parseQuery, parseSortOrder } from '../query/parse-query.js';
import { checkPath } from '../query/paths.js';
import { ProjectedRelatedItem } from '../relateditems/related-item.js';
import { ProjectedVersion } from '../versions/version.js';
import type { CollectionDesc, FindInCollections, Relation } from './search-query.js';
import type { Search } from './search.js';
import type { SearchContext } from './searched-collections.js';

const MAX_RELATIONS = 10;
const MAX_FIELDS = 10;

const Id = z.string().min(1).max(128);
const CONDITIONS = 'Conditions on the items of the collections, in the query language of lists';
const Query = z
  .looseObject({})
  .transform((json) => parseQuery(json).where)
  .optional()
  .describe(`${CONDITIONS}; all items by default.`);

/** A relation reads several collections at once, and MongoDB can search the text of only one. */
const QueryWithoutText = z
  .looseObject({})
  .transform((json) => parseQuery(json, { isTextAllowed: false }).where)
  .optional()
  .describe(`${CONDITIONS} but without \`$text\`; all items by default.`);

const CollectionDescription = z
  .looseObject({
    _userItemVersionId: Id.optional().describe(
      'The id of the version to search; the latest of each collection by default.',
    ),
  })
  .refine((description) => Object.keys(description).length > 0, 'must not be empty')
  .transform(({ _userItemVersionId: versionId, ...conditions }): CollectionDesc => ({
    where: parseQuery(conditions).where,
    versionId,
  }))
  .meta({
    id: 'CollectionDescription',
    description: 'Which collections to search: at least one condition on items, as in `query` of lists, or a version.',
  });

const Options = z
  .object({
    project: z
      .looseObject({})
      .transform(parseProjection)
      .optional()
      .describe('Up to 200 fields to include (1) or to leave out (0); all by default.'),
    page: Page.optional().describe('Offset and size of the page, in each collection.'),
    sort: z
      .looseObject({})
      .transform(parseSortOrder)
      .optional()
      .describe('Up to 10 fields by which the items are sorted: 1 ascending, -1 descending.'),
  })
  .meta({ id: 'SearchOptions', description: 'Which matching items the response contains, and how.' });

const wantedOf = (where: z.infer<typeof Query>, options: z.infer<typeof Options> | undefined) => ({
  where,
  project: options?.project,
  sort: options?.sort ?? [],
  paging: { offset: options?.page?._offset ?? 0, pageSize: options?.page?._pageSize ?? DEFAULT_PAGE_SIZE },
});

const InCollections = z
  .object({ collectionDesc: CollectionDescription, query: Query, options: Options.optional() })
  .transform(({ collectionDesc, query, options }): FindInCollections => ({
    collectionDesc,
    ...wantedOf(query, options),
  }))
  .meta({ id: 'FindInCollections', description: 'Finds items in collections.' });

const FieldName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^$.\x00]+$/, 'must not contain $ or a dot')
  .refine((name) => !['_id', '_metadata', '_related', '__proto__'].includes(name), 'is already a field of every item')
  .describe('The field of the results that lists the related items.');

const Related = z
  .object({
    relatedDesc: z
      .object({
        _relatedUserType: z
          .string()
          .min(1)
          .max(1024)
          .describe('The `_userType` of the collections that contain the related items.'),
        _isInverse: z
          .boolean()
          .default(false)
          .describe('Whether the related items refer to the found items; by default, the found items refer to them.'),
      })
      .describe('How the items are related.'),
    query: QueryWithoutText,
    options: Options.optional(),
    as: FieldName,
  })
  .transform(({ relatedDesc, query, options, as }): Relation => ({
    relatedUserType: relatedDesc._relatedUserType,
    isInverse: relatedDesc._isInverse,
    as,
    ...wantedOf(query, options),
  }))
  .meta({ id: 'Relation', description: 'The related items to return with each item.' });

const WithRelated = z
  .object({
    parent: InCollections,
    related: z
      .array(Related)
      .min(1)
      .max(MAX_RELATIONS)
      .refine((list) => new Set(list.map(({ as }) => as)).size === list.length, 'must have different names in as')
      .describe('The relations to follow; each needs a different `as`.'),
  })
  .meta({ id: 'FindWithRelated', description: 'Finds items in collections, with their related items.' });

const Field = z.string().transform((path) => checkPath(path, errors.invalidProjection));
const Distinct = z
  .object({
    collectionDesc: CollectionDescription,
    query: Query,
    fields: z.array(Field).min(1).max(MAX_FIELDS).describe('The paths of the fields.'),
  })
  .transform(({ query: where, ...rest }) => ({ ...rest, where }))
  .meta({ id: 'DistinctFields', description: 'Finds the distinct values of fields of the items in collections.' });

const OPERATORS = {
  $findInCollections: InCollections.optional(),
  $findWithRelated: WithRelated.optional(),
  $distinctRelatedItemFields: Distinct.optional(),
};

/** Exactly one operator. Unknown operators are reported first. */
const SearchBody = z
  .preprocess((body) => {
    const operators = isObject(body) ? Object.keys(body).filter((key) => key.startsWith('$')) : [];
    const unknown = operators.find((operator) => !(operator in OPERATORS));
    if (unknown !== undefined) throw unknownOperator(unknown);
    if (isObject(body) && operators.length !== 1) {
      throw errors.invalidQuery({ message: `A search must have one of ${Object.keys(OPERATORS).join(', ')}.` });
    }
    return body;
  }, z.object(OPERATORS))
  .meta({ id: 'Search', description: 'A search: exactly one of the operators.' });
type SearchBody = z.infer<typeof SearchBody>;

const SearchQuery = z.object({ nsfilter });

const DistinctValues = z
  .record(z.string(), z.array(z.unknown()))
  .meta({ id: 'DistinctValues', description: 'The distinct values of each field, sorted.' });
const FoundItems = pageOf(z.union([DistinctValues, ProjectedRelatedItem])).meta({
  id: 'FoundItems',
  description: 'A page of the items found in a collection, or a single entry with the distinct values.',
});
const SearchedVersion = ProjectedVersion.extend({ _relatedItems: FoundItems }).meta({
  id: 'SearchedVersion',
  description: 'A version of a collection, without its attributes and data, with the search results.',
});
const SearchedItem = ProjectedItem.extend({
  _versions: z.array(SearchedVersion).describe('The version that was searched.'),
}).meta({ id: 'SearchedItem', description: 'A collection with the search results.' });
const SearchPage = pageOf(SearchedItem).meta({
  id: 'SearchPage',
  description: 'All collections that were searched.',
});

export const searchRoutes = ({ search }: { search: Search }) =>
  routes('/nameduseritems', [
    route.post('/search', {
      operation: 'items.search',
      reads: true,
      summary:
        'Search the related items of several collections, optionally with their relations or for distinct values.',
      description:
        'A response has up to 100 collections and 10 000 items. It includes all matching collections; paging applies to their items.',
      errors: [...invalidLists, errors.searchTooBroad, commonErrors.pageTooLarge],
      query: SearchQuery,
      body: SearchBody,
      needs: documents({ rule: 'filter', action: 'READ', resource: ITEM_TYPE }),
      responses: { 200: SearchPage },
      handler: async ({ query: { nsfilter: namespace }, body, access }) =>
        ok(wholePage(await searchFor(search, body, { namespace, access }))),
    }),
  ]);

const searchFor = (search: Search, body: SearchBody, context: SearchContext) => {
  const { $findInCollections, $findWithRelated, $distinctRelatedItemFields } = body;
  if ($findInCollections) return search.findInCollections($findInCollections, context);
  if ($findWithRelated) return search.findWithRelated($findWithRelated, context);
  return search.distinct($distinctRelatedItemFields!, context);
};
