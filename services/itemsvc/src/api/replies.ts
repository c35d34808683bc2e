import { z } from 'zod';
import { pageOf, wholePage } from '@dtplatform/http';
import type { Page, Paging } from '@dtplatform/http';
import type { Found } from '../domain/list-query.js';
import type { Failure } from '../domain/partial-writes.js';

const FailureSchema = z.object({ index: z.number(), code: z.string(), message: z.string() });

/** Created entries and, where some may fail, those that did. */
export const createdPageOf = <S extends z.ZodType>(entry: S) =>
  pageOf(entry).extend({ _failures: z.array(FailureSchema).optional() });

export const createdPage = <T>(list: T[], failures: Failure[], transactional: boolean) => ({
  ...wholePage(list),
  ...(transactional ? {} : { _failures: failures }),
});

export const pageReply = <T>({ list, total }: Found<T>, { offset, pageSize }: Paging): Page<Partial<T>> => ({
  _offset: offset,
  _pageSize: pageSize,
  _total: total,
  _list: list,
});
