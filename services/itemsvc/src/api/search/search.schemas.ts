import { z } from 'zod';
import { nsfilter, pageOf } from '@dtplatform/http';
import { ProjectedItem } from '../../domain/nameduseritems/item.js';
import { isObject, unknownOperator } from '../../domain/query/json.js';
import { parseQuery } from '../../domain/query/parse-query.js';
import { checkPath } from '../../domain/query/paths.js';
import { parseProjection } from '../../domain/query/projection.js';
import { parseSortOrder } from '../../domain/query/sort-order.js';
import { RelatedItem } from '../../domain/relateditems/related-item.js';
import type { CollectionDesc, FindInCollections, Relation } from '../../domain/search/search-query.js';
import { ProjectedVersion } from '../../domain/versions/version.js';
import { errors } from '../../errors.js';
import { DEFAULT_PAGE_SIZE, Page } from '../list-parameters.js';

const MAX_RELATIONS = 10;
const MAX_FIELDS = 10;

const Id = z.string().min(1).max(128);
/** Conditions on items, or on related items, in the query language of lists. */
const Query = z
  .looseObject({})
  .transform((json) => parseQuery(json).where)
  .optional();

/** Of a relation, which reads several collections together: the database searches the text of one collection at a time. */
const QueryWithoutText = z
  .looseObject({})
  .transform((json) => parseQuery(json, { isTextAllowed: false }).where)
  .optional();

const CollectionDescription = z
  .looseObject({ _userItemVersionId: Id.optional() })
  .refine((description) => Object.keys(description).length > 0, 'must not be empty')
  .transform(({ _userItemVersionId: versionId, ...conditions }): CollectionDesc => ({
    where: parseQuery(conditions).where,
    versionId,
  }));

const Options = z.object({
  project: z.looseObject({}).transform(parseProjection).optional(),
  page: Page.optional(),
  sort: z.looseObject({}).transform(parseSortOrder).optional(),
});

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
  }));

/** The name of the field that shows what is related. */
const FieldName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^$.\0]+$/, 'must not hold $ or a dot')
  .refine((name) => !['_id', '_metadata', '_related', '__proto__'].includes(name), 'is a field of every item');

const Related = z
  .object({
    relatedDesc: z.object({ _relatedUserType: z.string().min(1).max(1024), _isInverse: z.boolean().default(false) }),
    query: QueryWithoutText,
    options: Options.optional(),
    as: FieldName,
  })
  .transform(({ relatedDesc, query, options, as }): Relation => ({
    relatedUserType: relatedDesc._relatedUserType,
    isInverse: relatedDesc._isInverse,
    as,
    ...wantedOf(query, options),
  }));

const WithRelated = z.object({
  parent: InCollections,
  related: z
    .array(Related)
    .min(1)
    .max(MAX_RELATIONS)
    .refine((list) => new Set(list.map(({ as }) => as)).size === list.length, 'must have different names in as'),
});

const Field = z.string().transform((path) => checkPath(path, errors.invalidProjection));
const Distinct = z
  .object({ collectionDesc: CollectionDescription, query: Query, fields: z.array(Field).min(1).max(MAX_FIELDS) })
  .transform(({ query: where, ...rest }) => ({ ...rest, where }));

const OPERATORS = {
  $findInCollections: InCollections.optional(),
  $findWithRelated: WithRelated.optional(),
  $distinctRelatedItemFields: Distinct.optional(),
};

/** Exactly one of the operators. An unknown one is named before the others are looked at. */
export const SearchBody = z.preprocess((body) => {
  const operators = isObject(body) ? Object.keys(body).filter((key) => key.startsWith('$')) : [];
  const unknown = operators.find((operator) => !(operator in OPERATORS));
  if (unknown !== undefined) throw unknownOperator(unknown);
  if (isObject(body) && operators.length !== 1) {
    throw errors.invalidQuery({ message: `A search has one of ${Object.keys(OPERATORS).join(', ')}.` });
  }
  return body;
}, z.object(OPERATORS));
export type SearchBody = z.infer<typeof SearchBody>;

export const SearchQuery = z.object({ nsfilter });

const RelatedItemPage = pageOf(RelatedItem.partial());
const SearchedVersion = ProjectedVersion.extend({ _relatedItems: RelatedItemPage });
export const SearchPage = pageOf(ProjectedItem.extend({ _versions: z.array(SearchedVersion) }));
