import { z } from 'zod';
import { countedPageOf, created, pageOf, wholePage } from '@dtplatform/http';
import { Failure } from './partial-writes.js';

const failures = {
  _failures: z
    .array(Failure)
    .optional()
    .describe('The entries that could not be stored; absent if `transactional` is true.'),
};

/** Created entries and, where some may fail, the failures. */
export const createdPageOf = <S extends z.ZodType>(entry: S) => pageOf(entry).extend(failures);
/** The same of entries whose lists have `_includeTotal`. */
export const createdCountedPageOf = <S extends z.ZodType>(entry: S) => countedPageOf(entry).extend(failures);

/** The response to a call that creates several entries. */
export const createdPage = <T>(list: T[], failures: Failure[], transactional: boolean) =>
  created({ ...wholePage(list), ...(transactional ? {} : { _failures: failures }) });

/** The same of a call whose pages are declared with `createdCountedPageOf`. */
export const createdCountedPage = <T>(...page: Parameters<typeof createdPage<T>>) =>
  created({ ...createdPage(...page).body, _includeTotal: true });
