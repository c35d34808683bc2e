import { z } from 'zod';
import { isoToMs } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import {
  documents,
  listParameter,
  noContent,
  nsfilter,
  ok,
  okPage,
  optionalHeader,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { ServiceDeps } from '@dtplatform/runtime';
import { errors } from '../errors.js';
import { ORCHESTRATOR_TYPE } from '../orchestrators/orchestrator.js';
import { hasEnded, Run } from './run.js';
import type { Runs } from './runs.js';
import type { RunSummary } from './runs.store.js';
import { lastRevision, wantsEvents } from './server-sent-events.http.js';
import type { EventStreams } from './server-sent-events.http.js';
import { showFollowedRun, showListedRun, ShownRun, showRun } from './shown-run.js';

const DEFAULT_PAGE_SIZE = 20;

const RunPage = pageOf(ShownRun).meta({ id: 'RunPage', description: 'A page of runs.' });
/** Clients of this API expect a single run as an array of one. */
const OneRun = z.array(ShownRun).length(1);

/** An ISO 8601 time or milliseconds since 1970; parsed to milliseconds. */
const time = z
  .string()
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : isoToMs(text)))
  .pipe(z.number('must be ISO 8601 or milliseconds since 1970'));

const ContextQuery = z.object({ nsfilter });
const ListRunsQuery = ContextQuery.extend({
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
const RunParams = z.object({ id: Run.shape._id });

interface Parts extends Pick<ServiceDeps, 'authenticate'> {
  runs: Runs;
  eventStreams: EventStreams;
}

/**
 * Memory of a run while it is read and sent, as a multiple of its stored size: JSON escapes a control character with
 * six.
 */
const BYTES_PER_STORED_BYTE = 8;
/** Large runs are sent less often than they change. */
const STORED_BYTES_PER_SEC = 256 * 1024;

/**
 * Streams the state of a run, without the parameters of its steps: its current state, unless the client has it, and
 * each change until it has ended.
 */
const watchRun =
  ({ runs, authenticate, eventStreams }: Parts): Handler<{ resource: RunSummary; query: { nsfilter: string } }> =>
  async ({ resource, query: { nsfilter }, access, req, res }) => {
    const { _id } = resource;
    let sent = lastRevision(req);
    // For clients of server-sent events, 204 means not to reconnect.
    if (hasEnded(resource) && sent === resource._revision) return noContent();

    let quietUntilMs = 0;
    return eventStreams.open({ req, res, caller: access.principal.id }, async (reserve) => {
      const summary = await runs.summaries.find(_id, nsfilter);
      const isQuiet = summary !== undefined && !hasEnded(summary) && performance.now() < quietUntilMs;
      const isNew = summary !== undefined && summary._revision !== sent && !isQuiet;
      if (isNew) await reserve(BYTES_PER_STORED_BYTE * summary.bytes);
      const now = await authenticate(req);
      await now.require('READ', summary);
      if (!isNew) return {};
      const run = await now.require('READ', await runs.followed.find(_id, nsfilter));
      sent = run._revision;
      quietUntilMs = performance.now() + (1000 * summary.bytes) / STORED_BYTES_PER_SEC;
      return { event: { event: 'run', id: String(sent), data: showFollowedRun(run) }, isLast: hasEnded(run) };
    });
  };

export const runRoutes = (parts: Parts) => {
  const { runs } = parts;
  return routes('/orchrun', [
    route.get('/', {
      operation: 'runs.list',
      summary: 'List the runs of the orchestrators of a namespace, newest first.',
      needs: documents({ rule: 'filter', action: 'READ', resource: ORCHESTRATOR_TYPE }),
      query: ListRunsQuery,
      responses: { 200: RunPage },
      handler: async ({ query, access }) => {
        const { nsfilter, ...filter } = query;
        return okPage(await runs.list(nsfilter, filter, pagingOf(query), access), pagingOf(query), showListedRun);
      },
    }),
    route.get('/:id', {
      operation: 'runs.get',
      summary: 'Read a run, as an array of one.',
      params: RunParams,
      query: ContextQuery,
      needs: permit('READ', ORCHESTRATOR_TYPE, runs),
      when: (request) => !wantsEvents(request),
      responses: { 200: OneRun },
      handler: async ({ resource }) => ok([showRun(resource)]),
    }),
    route.get('/:id', {
      operation: 'runs.watch',
      summary: 'Follow a run with `Accept: text/event-stream`.',
      description:
        'Each `run` event contains the run as `data`, without the `_actualparams` of its steps, and its revision as `id`. The stream ends ' +
        'with the run, or after five minutes. The response is a 204 if the run has ended and nothing newer exists.',
      errors: [commonErrors.tooManyRequests],
      requestHeaders: [
        optionalHeader(
          'Last-Event-ID',
          'The `id` of the last event that the caller received; only newer states are sent.',
        ),
      ],
      params: RunParams,
      query: ContextQuery,
      needs: permit('READ', ORCHESTRATOR_TYPE, runs.summaries),
      responses: {
        200: {
          contentType: 'text/event-stream',
          description: 'The run as JSON or, as server-sent events, its state now and after each change until it ends.',
        },
        204: null,
      },
      handler: watchRun(parts),
    }),
    ...changingRoutes(parts),
  ]);
};

const changingRoutes = ({ runs }: Parts) => [
  route.post('/:id/retry', {
    operation: 'runs.retry',
    summary: 'Retry a run that ended as ERROR or CANCELLED, from the first step that did not complete.',
    description:
      'The response shows the run as `QUEUED`, or as ended for class `INSTANT`. From now on, the run has the permissions of the caller.',
    errors: [
      errors.runNotFailed,
      errors.retriedTooOften,
      errors.orchestratorDeleted,
      errors.profileTakenAway,
      errors.tooManyQueued,
    ],
    params: RunParams,
    query: ContextQuery,
    mayTakeLong: true,
    needs: permit('RUN', ORCHESTRATOR_TYPE, runs),
    responses: { 200: ShownRun },
    etag: revision,
    show: showRun,
    again: async (id, { query, access }) => access.require('READ', await runs.find(id, query.nsfilter)),
    ifMatch: true,
    handler: async ({ resource, precondition, access }) => ok(await runs.retry(resource, precondition, access)),
  }),
  route.delete('/:id', {
    operation: 'runs.cancel',
    summary: 'Cancel a run that has not ended.',
    errors: [errors.runEnded],
    params: RunParams,
    query: ContextQuery,
    needs: permit('RUN', ORCHESTRATOR_TYPE, runs),
    responses: { 204: null },
    ifMatch: true,
    handler: async ({ resource, precondition, access }) => {
      await runs.cancel(resource, precondition, access);
      return noContent();
    },
  }),
];
