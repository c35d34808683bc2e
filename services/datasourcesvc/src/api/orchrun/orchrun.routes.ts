import { commonErrors } from '@dtplatform/errors';
import { documents, noContent, ok, okPage, optionalHeader, pagingOf, revision, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ORCHESTRATOR_TYPE } from '../../domain/orchestrators/orchestrator.js';
import { showListedRun, ShownRun, showRun } from '../../domain/orchrun/shown-run.js';
import { errors } from '../../errors.js';
import { ContextQuery, ListRunsQuery, OneRun, RunPage, RunParams } from './orchrun.schemas.js';
import { wantsEvents } from './server-sent-events.js';
import { watchRun } from './watch-run.handler.js';

export const runRoutes = (deps: Deps) => {
  const { runs } = deps;
  return routes('/orchrun', [
    route.get('/', {
      operation: 'runs.list',
      summary: 'List the runs of the orchestrators of a namespace, newest first.',
      needs: documents({ rule: 'filter', action: 'READ', resource: ORCHESTRATOR_TYPE }),
      query: ListRunsQuery,
      replies: { 200: RunPage },
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
      replies: { 200: OneRun },
      handler: async ({ resource }) => ok([showRun(resource)]),
    }),
    route.get('/:id', {
      operation: 'runs.watch',
      summary: 'Follow a run with `Accept: text/event-stream`.',
      description:
        'Each event `run` has the run as `data`, without the `_actualparams` of its steps, and its revision as `id`. The stream ends ' +
        'with the run, and after five minutes at the latest. The reply is a 204 if the run has ended and there is nothing newer.',
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
      replies: {
        200: {
          contentType: 'text/event-stream',
          description: 'The run as JSON or, as server-sent events, its state now and after each change until it ends.',
        },
        204: null,
      },
      handler: watchRun(deps),
    }),
    ...changingRoutes(deps),
  ]);
};

const changingRoutes = ({ runs }: Deps) => [
  route.post('/:id/retry', {
    operation: 'runs.retry',
    summary: 'Retry a run that ended as ERROR or CANCELLED, from the first step that did not complete.',
    description:
      'The run is `QUEUED`; a run of class `INSTANT` has already ended. From now on, it has the rights of the caller.',
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
    replies: { 200: ShownRun },
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
    replies: { 204: null },
    ifMatch: true,
    handler: async ({ resource, precondition, access }) => {
      await runs.cancel(resource, precondition, access);
      return noContent();
    },
  }),
];
