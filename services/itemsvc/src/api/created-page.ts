import { z } from 'zod';
import { created, pageOf, wholePage } from '@dtplatform/http';
import { Failure } from '../domain/partial-writes.js';

/** Created entries and, where some may fail, the failures. */
export const createdPageOf = <S extends z.ZodType>(entry: S) =>
  pageOf(entry).extend({
    _failures: z
      .array(Failure)
      .optional()
      .describe('The entries that could not be stored; absent if `transactional` is true.'),
  });

/** Answers a call that creates several entries. */
export const createdPage = <T>(list: T[], failures: Failure[], transactional: boolean) =>
  created({ ...wholePage(list), ...(transactional ? {} : { _failures: failures }) });
