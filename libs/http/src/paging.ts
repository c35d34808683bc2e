import { z } from 'zod';

/** Larger offsets are clamped; no list is that long. */
const MAX_OFFSET = 2 ** 31 - 1;

export interface Paging {
  offset: number;
  pageSize: number;
}

const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^\d{1,100}$/, 'must be a whole number of 0 or more')
    .transform((digits) => Math.min(Number(digits), max));

/**
 * The query parameters `_offset` and `_pageSize`. Values above the maximum are clamped; anything but a whole number is
 * refused.
 */
export const pagingParameters = ({ defaultSize = 25, maxSize = 1000 } = {}) => ({
  _offset: wholeNumber(MAX_OFFSET).default(0),
  _pageSize: wholeNumber(maxSize).default(defaultSize),
});

/** A parameter with several values: repeated, or separated by commas. */
export const listParameter = (entry: z.ZodType<string, string> = z.string(), maxEntries = 200) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) =>
      [value]
        .flat()
        .flatMap((text) => text.split(','))
        .filter((text) => text !== ''),
    )
    .pipe(z.array(entry).max(maxEntries));

/** `true` or `false` as text. */
export const booleanParameter = z.enum(['true', 'false']).transform((text) => text === 'true');

/** The namespace that is the context of a call (docs/contract.md, "nsfilter"). */
export const nsfilter = z.string().min(1).max(128);

/** One page of a list, as all list endpoints return it. */
export interface Page<T> {
  _offset: number;
  _pageSize: number;
  _total: number;
  _list: T[];
}

export const pageOf = <S extends z.ZodType>(entry: S) =>
  z.object({ _offset: z.number(), _pageSize: z.number(), _total: z.number(), _list: z.array(entry) });

/** A complete list in the shape of a page. */
export const wholePage = <T>(list: T[]): Page<T> => ({
  _offset: 0,
  _pageSize: list.length,
  _total: list.length,
  _list: list,
});
