import { z } from 'zod';
import { Namespace, pageOf } from '@dtplatform/contracts';
import type { Listing, Paging } from '@dtplatform/contracts';
import { ok } from './response.js';
import type { RouteResponse } from './response.js';

/** Larger offsets are rejected. */
export const MAX_OFFSET = 2 ** 31 - 1;

/** A whole-number parameter, clamped to `max`. */
export const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^\d{1,100}$/, 'must be a whole number of 0 or more')
    .meta({ type: 'integer', minimum: 0, pattern: undefined })
    .transform((digits) => Math.min(Number(digits), max));

/**
 * The query parameters `_offset` and `_pageSize`. Values above the maximum are clamped; others must be whole numbers.
 */
export const pagingParameters = ({ defaultSize = 25, maxSize = 1000 } = {}) => ({
  _offset: wholeNumber(MAX_OFFSET).default(0).describe('The number of entries to skip.'),
  _pageSize: wholeNumber(maxSize)
    .default(defaultSize)
    .describe(
      `The maximum number of entries to return: ${defaultSize} by default, at most ${maxSize}; 0 returns only the total.`,
    ),
});

/**
 * A parameter with several values: repeated or comma-separated. Values are trimmed and empty ones dropped.
 * @param options.mayHaveCommas if the parameter is repeated, each occurrence is one value
 */
export const listParameter = (
  entry: z.ZodType<string, string> = z.string(),
  maxEntries = 200,
  { mayHaveCommas = false } = {},
) =>
  z
    .union([z.string(), z.array(z.string()).meta({ minItems: 1 })])
    .transform((value) => {
      const texts = Array.isArray(value) && mayHaveCommas ? value : [value].flat().flatMap((text) => text.split(','));
      return texts.map((text) => text.trim()).filter((text) => text !== '');
    })
    .pipe(z.array(entry).max(maxEntries));

/** `true` or `false`, case-insensitive. */
export const booleanParameter = z
  .string()
  .regex(/^(true|false)$/i, 'must be true or false')
  .meta({ type: 'boolean', pattern: undefined })
  .transform((text) => text.toLowerCase() === 'true');

/** The namespace of a call (docs/contract.md, "nsfilter"). */
export const nsfilter = Namespace.describe('The namespace of the call.');

/** A page, as all list endpoints return it. */
interface Page<T> {
  _offset: number;
  _pageSize: number;
  _total: number;
  _list: T[];
}

/** A page with `_includeTotal`, which clients of some lists read. */
export const countedPageOf = <S extends z.ZodType>(entry: S) =>
  pageOf(entry).extend({ _includeTotal: z.boolean().describe('Whether `_total` is counted; always true.') });

export const pagingOf = ({ _offset, _pageSize }: { _offset: number; _pageSize: number }): Paging => ({
  offset: _offset,
  pageSize: _pageSize,
});

/** Responds with a page whose entries are mapped by `show`. */
export const okPage = <T>(
  { list, total }: Listing<T>,
  { offset, pageSize }: Paging,
  show: (entry: T) => unknown = (entry) => entry,
): RouteResponse<Page<unknown>> =>
  ok({ _offset: offset, _pageSize: pageSize, _total: total, _list: list.map((entry) => show(entry)) });

/** `okPage` for pages declared with `countedPageOf`. */
export const okCountedPage = <T>(...page: Parameters<typeof okPage<T>>) =>
  ok({ ...okPage(...page).body, _includeTotal: true });

/** A complete list in the shape of a page. */
export const wholePage = <T>(list: T[]): Page<T> => ({
  _offset: 0,
  _pageSize: list.length,
  _total: list.length,
  _list: list,
});
