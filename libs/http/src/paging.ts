import { z } from 'zod';
import { Namespace, pageOf } from '@dtplatform/contracts';
import type { Listing, Paging } from '@dtplatform/contracts';
import { ok } from './response.js';
import type { RouteResponse } from './response.js';

/** Skipping further than this is no longer paging. */
export const MAX_OFFSET = 2 ** 31 - 1;

/** A parameter that is a whole number; one above `max` is taken as `max`. */
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
  _offset: wholeNumber(MAX_OFFSET).default(0).describe('How many entries to skip.'),
  _pageSize: wholeNumber(maxSize)
    .default(defaultSize)
    .describe(
      `The maximum number of entries to return: ${defaultSize} by default, at most ${maxSize}; 0 returns only the total.`,
    ),
});

/**
 * A parameter that holds several values: repeated, or separated by commas. They are trimmed, and empty ones are left out.
 * @param options.mayHaveCommas a value may contain commas: if the parameter is repeated, each occurrence is one value
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

/** `true` or `false` as text, in any letter case. */
export const booleanParameter = z
  .string()
  .regex(/^(true|false)$/i, 'must be true or false')
  .meta({ type: 'boolean', pattern: undefined })
  .transform((text) => text.toLowerCase() === 'true');

/** The namespace in which a call acts (docs/contract.md, "nsfilter"). */
export const nsfilter = Namespace.describe('The namespace in which the call acts.');

/** One page of a list, as all list endpoints answer it. */
interface Page<T> {
  _offset: number;
  _pageSize: number;
  _total: number;
  _list: T[];
}

/** A page with `_includeTotal`, which clients of some lists read. */
export const countedPageOf = <S extends z.ZodType>(entry: S) =>
  pageOf(entry).extend({ _includeTotal: z.boolean().describe('Whether `_total` is counted; always true.') });

/** The page that a list call asks for. */
export const pagingOf = ({ _offset, _pageSize }: { _offset: number; _pageSize: number }): Paging => ({
  offset: _offset,
  pageSize: _pageSize,
});

/** Answers a list call: the page of what was found, each entry as `show` gives it. */
export const okPage = <T>(
  { list, total }: Listing<T>,
  { offset, pageSize }: Paging,
  show: (entry: T) => unknown = (entry) => entry,
): RouteResponse<Page<unknown>> =>
  ok({ _offset: offset, _pageSize: pageSize, _total: total, _list: list.map((entry) => show(entry)) });

/** Answers a list call whose pages are declared with `countedPageOf`. */
export const okCountedPage = <T>(...page: Parameters<typeof okPage<T>>) =>
  ok({ ...okPage(...page).body, _includeTotal: true });

/** A whole list, in the shape of a page. */
export const wholePage = <T>(list: T[]): Page<T> => ({
  _offset: 0,
  _pageSize: list.length,
  _total: list.length,
  _list: list,
});
