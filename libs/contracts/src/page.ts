import { z } from 'zod';

/** Which page of a list. A page size of 0 asks for the total alone. */
export interface Paging {
  offset: number;
  pageSize: number;
}

/** One page of a list, and how many entries the list has in all. */
export interface Listing<T> {
  list: T[];
  total: number;
}

/** One page of a list, as all list endpoints answer it. */
export const pageOf = <S extends z.ZodType>(entry: S) =>
  z.object({
    _offset: z.int().describe('How many entries were skipped.'),
    _pageSize: z.int().describe('The maximum number of entries of the page.'),
    _total: z.int().describe('How many entries the list has in all.'),
    _list: z.array(entry).describe('The entries of this page.'),
  });
