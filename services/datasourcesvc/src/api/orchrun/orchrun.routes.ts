import { filtered, noContent, ok, okPage, pagingOf, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ORCHESTRATOR_TYPE } from '../../domain/orchestrators/orchestrator.js';
import { showRun } from '../../domain/orchrun/run.js';
import { ContextQuery, ListRunsQuery, OneRun, RunPage, RunParams } from './orchrun.schemas.js';

export const runRoutes = ({ runs }: Deps) =>
  routes('/orchrun', [
    route.get('/', {
      operation: 'runs.list',
      summary: 'List the runs of the orchestrators of a namespace, newest first.',
      needs: filtered('READ', ORCHESTRATOR_TYPE),
      query: ListRunsQuery,
      replies: { 200: RunPage },
      handler: async ({ query, access }) => {
        const { nsfilter, ...filter } = query;
        return okPage(await runs.list(nsfilter, filter, pagingOf(query), access), pagingOf(query), showRun);
      },
    }),
    route.get('/:id', {
      operation: 'runs.get',
      summary: 'Read a run, as an array of one.',
      params: RunParams,
      query: ContextQuery,
      needs: permit('READ', ORCHESTRATOR_TYPE, runs),
      replies: { 200: OneRun },
      handler: async ({ resource }) => ok([showRun(resource)]),
    }),
    route.delete('/:id', {
      operation: 'runs.cancel',
      summary: 'Cancel a run that has not ended.',
      params: RunParams,
      query: ContextQuery,
      needs: permit('RUN', ORCHESTRATOR_TYPE, runs),
      replies: { 204: null },
      handler: async ({ resource, precondition, access }) => {
        await runs.cancel(resource, precondition, access);
        return noContent();
      },
    }),
  ]);
