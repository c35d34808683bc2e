import { z } from 'zod';
import { nsfilter } from '@dtplatform/http';
import type { Paging } from '@dtplatform/http';
import type { ListQuery } from '../domain/list-query.js';
import { parseProjection } from '../domain/query/projection.js';
import { parseQuery } from '../domain/query/parse-query.js';
import { parseSortOrder } from '../domain/query/sort-order.js';

/** JSON in a query parameter. */
const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

const MAX_PAGE_SIZE = 1000;
const FIRST_PAGE: Paging = { offset: 0, pageSize: 25 };

const wholeNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number),
  ])
  .pipe(
    z
      .number()
      .int()
      .min(0)
      .max(2 ** 31 - 1),
  );
const Page = z.object({ _offset: wholeNumber.optional(), _pageSize: wholeNumber.optional() });

/** Fields of a projection, as a parameter. */
export const projectParameter = json.transform(parseProjection).optional();

/** What the list calls share (contract: shared query parameters). `_offset` and `_pageSize` may also stand alone. */
export const listParameters = {
  nsfilter,
  query: json.transform(parseQuery).optional(),
  project: projectParameter,
  page: json.pipe(Page).optional(),
  sort: json.transform(parseSortOrder).optional(),
  ...Page.shape,
};

/** The parameters of a list call as the domain knows them. */
export function listQueryOf({
  query,
  project,
  sort,
  ...parameters
}: z.infer<z.ZodObject<typeof listParameters>>): ListQuery {
  const { _offset, _pageSize } = parameters.page ?? parameters;
  return {
    allVersions: false,
    ...query,
    project,
    sort: sort ?? [],
    paging: {
      offset: _offset ?? FIRST_PAGE.offset,
      pageSize: Math.min(_pageSize ?? FIRST_PAGE.pageSize, MAX_PAGE_SIZE),
    },
  };
}
