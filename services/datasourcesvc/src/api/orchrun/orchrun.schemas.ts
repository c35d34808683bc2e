import { z } from 'zod';
import { listParameter, nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { Run } from '../../domain/orchrun/run.js';
import { ShownRun } from '../../domain/orchrun/shown-run.js';

const DEFAULT_PAGE_SIZE = 20;

export const RunPage = pageOf(ShownRun);
/** Clients of this API expect a single run as an array of one. */
export const OneRun = z.array(ShownRun).length(1);

/** A time in ISO 8601 or as milliseconds since 1970; parsed to milliseconds. */
const time = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)))
  .pipe(z.number('must be ISO 8601 or milliseconds since 1970'));

export const ContextQuery = z.object({ nsfilter });
export const ListRunsQuery = ContextQuery.extend({
  _status: listParameter().pipe(z.array(Run.shape._status)).optional(),
  _orchid: z.string().min(1).max(128).optional(),
  startDate: time.optional(),
  endDate: time.optional(),
  ...pagingParameters({ defaultSize: DEFAULT_PAGE_SIZE }),
});
export const RunParams = z.object({ id: Run.shape._id });
