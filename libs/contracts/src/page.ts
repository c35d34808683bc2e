import { z } from 'zod';

/** One page of a list, as all list endpoints answer it. */
export const pageOf = <S extends z.ZodType>(entry: S) =>
  z.object({
    _offset: z.int().describe('How many entries were skipped.'),
    _pageSize: z.int().describe('The maximum number of entries of the page.'),
    _total: z.int().describe('How many entries the list has in all.'),
    _list: z.array(entry).describe('The entries of this page.'),
  });
