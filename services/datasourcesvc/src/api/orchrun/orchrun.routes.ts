import type { z } from 'zod';
import { noContent, ok, route, routes } from '@dtplatform/http';
import type { RequestContext, RouteTable } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { showRun } from '../../domain/orchrun/run.js';
import { ContextQuery, ListRunsQuery, OneRun, RunPage, RunParams } from './orchrun.schemas.js';

type ById = RequestContext<z.infer<typeof RunParams>, z.infer<typeof ContextQuery>>;

export const runRoutes = ({ runs }: Deps): RouteTable =>
  routes('/orchrun', [
    route.get('/', {
      operation: 'runs.list',
      summary: 'List the runs of the orchestrators of a namespace, newest first.',
      query: ListRunsQuery,
      replies: { 200: RunPage },
      handler: async ({ query: { nsfilter, _offset, _pageSize, ...filter }, access }) => {
        const { list, total } = await runs.list(nsfilter, filter, { offset: _offset, pageSize: _pageSize }, access);
        return ok({ _offset, _pageSize, _total: total, _list: list.map(showRun) });
      },
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
