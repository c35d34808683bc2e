import { z } from 'zod';
import { JsonRejected, parseJson } from '@dtplatform/contracts';
import { MAX_OFFSET, nsfilter, pagingParameters, wholeNumber } from '@dtplatform/http';
import { errors } from '../errors.js';
import { parseProjection, parseQuery, parseSortOrder } from './parse-query.js';
import type { ListQuery } from './parse-query.js';

/** A query parameter in JSON. */
const json = z
  .string()
  .meta({ contentMediaType: 'application/json' })
  .transform((text, context): unknown => {
    try {
      return parseJson(text);
    } catch (error) {
      if (!(error instanceof JsonRejected)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

const MAX_PAGE_SIZE = 1000;

/** A whole number as text or as a JSON number. */
const jsonNumber = (max: number) =>
  z
    .preprocess((value) => (typeof value === 'number' ? String(Math.min(value, max)) : value), wholeNumber(max))
    .optional();
export const DEFAULT_PAGE_SIZE = 25;
export const Page = z.object({
  _offset: jsonNumber(MAX_OFFSET).describe('The number of entries to skip; 0 by default.'),
  _pageSize: jsonNumber(MAX_PAGE_SIZE).describe(
    `The maximum number of entries to return: ${DEFAULT_PAGE_SIZE} by default, at most ${MAX_PAGE_SIZE}; 0 returns only the total.`,
  ),
});

export const projectParameter = json
  .transform(parseProjection)
  .optional()
  .describe('JSON: up to 200 fields to include (1) or to leave out (0), such as `{"_metadata": 0}`; all by default.');

export const queryParameter = json
  .transform((json) => parseQuery(json))
  .describe('JSON: up to 200 conditions in the query language of MongoDB, such as `{"<field>": {"$gt": 5}}`.');

/**
 * Parameters of all list calls (docs/contract.md, "Shared query parameters"). The values in `page` override `_offset`
 * and `_pageSize`.
 */
export const listParameters = {
  nsfilter,
  query: queryParameter.optional(),
  project: projectParameter,
  page: json
    .pipe(Page)
    .optional()
    .describe('JSON: the page, such as `{"_offset": 0, "_pageSize": 25}`; replaces `_offset` and `_pageSize`.'),
  sort: json
    .transform(parseSortOrder)
    .optional()
    .describe('JSON: up to 10 fields by which the list is sorted, 1 ascending, -1 descending, such as `{"_name": 1}`.'),
  ...pagingParameters({ defaultSize: DEFAULT_PAGE_SIZE, maxSize: MAX_PAGE_SIZE }),
};

export const listQueryOf = (parameters: z.infer<z.ZodObject<typeof listParameters>>): ListQuery => ({
  allVersions: false,
  ...parameters.query,
  project: parameters.project,
  sort: parameters.sort ?? [],
  paging: {
    offset: parameters.page?._offset ?? parameters._offset,
    pageSize: parameters.page?._pageSize ?? parameters._pageSize,
  },
});

export const invalidLists = [
  errors.invalidQuery,
  errors.invalidProjection,
  errors.invalidSort,
  errors.unknownOperator,
  errors.queryTooComplex,
  errors.unsafeRegularExpression,
  errors.textIndexMissing,
  errors.queryTooSlow,
];
