import { z } from 'zod';
import { isoToMs } from '@dtplatform/contracts';
import { listParameter, nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { Run } from '../../domain/orchrun/run.js';
import { ShownRun } from '../../domain/orchrun/shown-run.js';

const DEFAULT_PAGE_SIZE = 20;

export const RunPage = pageOf(ShownRun).meta({ id: 'RunPage', description: 'A page of runs.' });
/** Clients of this API expect a single run as an array of one. */
export const OneRun = z.array(ShownRun).length(1);

/** A time in ISO 8601 or as milliseconds since 1970; parsed to milliseconds. */
const time = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : isoToMs(text)))
  .pipe(z.number('must be ISO 8601 or milliseconds since 1970'));

export const ContextQuery = z.object({ nsfilter });
export const ListRunsQuery = ContextQuery.extend({
  _status: listParameter()
    .pipe(z.array(Run.shape._status))
    .optional()
    .describe('Only runs with one of these statuses.'),
  _orchid: z.string().min(1).max(128).optional().describe('Only runs of the orchestrator with this id.'),
  startDate: time
    .optional()
    .describe('Only runs created at this time or later, in ISO 8601 or in milliseconds since 1970.'),
  endDate: time
    .optional()
    .describe('Only runs created at this time or earlier, in ISO 8601 or in milliseconds since 1970.'),
  ...pagingParameters({ defaultSize: DEFAULT_PAGE_SIZE }),
});
export const RunParams = z.object({ id: Run.shape._id });
