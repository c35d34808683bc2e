import { z } from 'zod';

export interface Paging {
  offset: number;
  pageSize: number;
}

/** A page of a list, and the total number of entries. */
export interface Listing<T> {
  list: T[];
  total: number;
}

/** A page, as all list endpoints return it. */
export const pageOf = <S extends z.ZodType>(entry: S) =>
  z.object({
    _offset: z.int().describe('The number of entries skipped.'),
    _pageSize: z.int().describe('The maximum number of entries of the page.'),
    _total: z.int().describe('The total number of entries.'),
    _list: z.array(entry).describe('The entries of this page.'),
  });
