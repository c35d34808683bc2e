import { z } from 'zod';
import { countedPageOf, created, pageOf, wholePage } from '@dtplatform/http';
import { Failure } from './partial-writes.js';

const failures = {
  _failures: z
    .array(Failure)
    .optional()
    .describe('The entries that could not be stored; absent if `transactional` is true.'),
};

/** A page of created entries, with failures for partial writes. */
export const createdPageOf = <S extends z.ZodType>(entry: S) => pageOf(entry).extend(failures);
/** The same for lists with `_includeTotal`. */
export const createdCountedPageOf = <S extends z.ZodType>(entry: S) => countedPageOf(entry).extend(failures);

export const createdPage = <T>(list: T[], failures: Failure[], transactional: boolean) =>
  created({ ...wholePage(list), ...(transactional ? {} : { _failures: failures }) });

/** The same for pages declared with `createdCountedPageOf`. */
export const createdCountedPage = <T>(...page: Parameters<typeof createdPage<T>>) =>
  created({ ...createdPage(...page).body, _includeTotal: true });
