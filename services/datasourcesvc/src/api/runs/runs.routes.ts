import { noContent, ok, route, routes } from '@dtplatform/http';
import type { RequestContext, RouteTable } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { listRuns } from './list-runs.handler.js';
import { ContextQuery, ListRunsQuery, OneRun, RunPage, RunParams } from './runs.schemas.js';
import { showRun } from './show-run.js';

type ById = RequestContext<RunParams, ContextQuery>;

export function runRoutes(deps: Deps): RouteTable {
  const { runs } = deps;
  return routes('/orchrun', [
    route.get('/', {
      operation: 'runs.list',
      summary: 'List the runs of the orchestrators of a namespace, newest first.',
      query: ListRunsQuery,
      replies: { 200: RunPage },
      handler: listRuns(deps),
    }),
    route.get('/:id', {
      operation: 'runs.get',
      summary: 'Read a run, as an array of one.',
      params: RunParams,
      query: ContextQuery,
      needs: permit('READ', ({ params }: ById) => runs.find(params.id)),
      replies: { 200: OneRun },
      handler: async ({ resource }) => ok([showRun(resource)]),
    }),
    route.delete('/:id', {
      operation: 'runs.cancel',
      summary: 'Cancel a run that has not ended.',
      params: RunParams,
      query: ContextQuery,
      needs: permit('RUN', ({ params }: ById) => runs.find(params.id)),
      replies: { 204: null },
      handler: async ({ resource }) => {
        await runs.cancel(resource);
        return noContent();
      },
    }),
  ]);
}
