import type { z } from 'zod';
import { ok, route, routes } from '@dtplatform/http';
import type { RequestContext, RouteTable } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import {
  CreateOrchestrator,
  namespacesOf,
  ORCHESTRATOR_TYPE,
  ShownOrchestrator,
  showOrchestrator,
} from '../../domain/orchestrators/orchestrator.js';
import { showRun, ShownRun } from '../../domain/orchrun/run.js';
import {
  ContextQuery,
  ListOrchestratorsQuery,
  OrchestratorPage,
  OrchestratorParams,
  RunOrchestratorBody,
} from './orchestrators.schemas.js';

type Context = z.infer<typeof ContextQuery>;
type ById<Body = unknown> = RequestContext<z.infer<typeof OrchestratorParams>, Context, Body>;
type Create = RequestContext<unknown, Context, CreateOrchestrator>;

export const orchestratorRoutes = ({ orchestrators, runs }: Deps): RouteTable =>
  routes('/orchestrators', [
    route.post('/', {
      operation: 'orchestrators.create',
      summary: 'Create an orchestrator.',
      query: ContextQuery,
      body: CreateOrchestrator,
      needs: permitCreate(ORCHESTRATOR_TYPE, ({ body, query }: Create) => namespacesOf(body, query.nsfilter)),
      replies: { 200: ShownOrchestrator },
      handler: async ({ body, query, access }) =>
        ok(showOrchestrator(await orchestrators.create(body, query.nsfilter, access))),
    }),
    route.get('/', {
      operation: 'orchestrators.list',
      summary: 'List the orchestrators of a namespace.',
      query: ListOrchestratorsQuery,
      replies: { 200: OrchestratorPage },
      handler: async ({ query: { nsfilter, _offset, _pageSize }, access }) => {
        const { list, total } = await orchestrators.list(nsfilter, { offset: _offset, pageSize: _pageSize }, access);
        return ok({ _offset, _pageSize, _total: total, _list: list.map(showOrchestrator) });
      },
    }),
    route.get('/:id', {
      operation: 'orchestrators.get',
      summary: 'Read an orchestrator.',
      params: OrchestratorParams,
      query: ContextQuery,
      needs: permit('READ', ({ params }: ById) => orchestrators.find(params.id)),
      replies: { 200: ShownOrchestrator },
      handler: async ({ resource }) => ok(showOrchestrator(resource)),
    }),
    route.post('/:id/run', {
      operation: 'orchestrators.run',
      summary: 'Run an orchestrator.',
      params: OrchestratorParams,
      query: ContextQuery,
      body: RunOrchestratorBody,
      needs: permit('RUN', ({ params }: ById<z.infer<typeof RunOrchestratorBody>>) => orchestrators.find(params.id)),
      replies: { 200: ShownRun },
      handler: async ({ resource, query, body, access }) => {
        const parameters = body?._actualparams ?? [];
        return ok(showRun(await runs.start({ orchestrator: resource, parameters, namespace: query.nsfilter }, access)));
      },
    }),
  ]);
