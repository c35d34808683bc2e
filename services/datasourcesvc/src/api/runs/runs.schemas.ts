import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { listParameter, nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { RUN_STATUSES } from '../../domain/run.js';

const DEFAULT_PAGE_SIZE = 20;

const RunStatus = z.enum(RUN_STATUSES);

const RunStep = z.object({
  id: z.string(),
  _name: z.string(),
  orchstepid: z.string(),
  _compid: z.string(),
  _orchrunid: z.string(),
  _actualparams: z.string(),
  _sequenceno: z.number(),
  _status: RunStatus,
  _statusmsg: z.string(),
});

export const Run = z.object({
  id: z.string(),
  _orchid: z.string(),
  _name: z.string(),
  _description: z.string().optional(),
  _namespaces: z.array(z.string()),
  _usertype: z.string().optional(),
  _createdby: z.string(),
  _createdat: z.string(),
  _updatedat: z.string(),
  _status: RunStatus,
  _result: z.unknown(),
  orchrunsteps: z.array(RunStep),
});
export const RunPage = pageOf(Run);
/** The contract of this API's clients: one run comes as an array of one. */
export const OneRun = z.array(Run).length(1);

/** A point in time, as milliseconds since 1970 or in ISO 8601; in milliseconds. */
const time = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)))
  .pipe(z.number('must be ISO 8601 or milliseconds since 1970'));

export const ListRunsQuery = z.object({
  nsfilter,
  _status: listParameter(RunStatus).optional(),
  _orchid: z.string().min(1).max(128).optional(),
  startDate: time.optional(),
  endDate: time.optional(),
  ...pagingParameters({ defaultSize: DEFAULT_PAGE_SIZE }),
});
export type ListRunsQuery = z.infer<typeof ListRunsQuery>;

export const ContextQuery = z.object({ nsfilter });
export type ContextQuery = z.infer<typeof ContextQuery>;
export const RunParams = z.object({ id: ResourceId });
export type RunParams = z.infer<typeof RunParams>;
