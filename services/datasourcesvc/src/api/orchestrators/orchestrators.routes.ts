import { ok, route, routes } from '@dtplatform/http';
import type { RequestContext, RouteTable } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { namespacesOf, ORCHESTRATOR_TYPE } from '../../domain/orchestrator.js';
import { Run } from '../runs/runs.schemas.js';
import { createOrchestrator } from './create-orchestrator.handler.js';
import { listOrchestrators } from './list-orchestrators.handler.js';
import {
  ContextQuery,
  CreateOrchestratorBody,
  ListOrchestratorsQuery,
  Orchestrator,
  OrchestratorPage,
  OrchestratorParams,
  RunOrchestratorBody,
} from './orchestrators.schemas.js';
import { runOrchestrator } from './run-orchestrator.handler.js';
import { showOrchestrator } from './show-orchestrator.js';

type ById = RequestContext<OrchestratorParams, ContextQuery>;
type CreateContext = RequestContext<unknown, ContextQuery, CreateOrchestratorBody>;

export function orchestratorRoutes(deps: Deps): RouteTable {
  const { orchestrators } = deps;
  return routes('/orchestrators', [
    route.post('/', {
      operation: 'orchestrators.create',
      summary: 'Create an orchestrator.',
      query: ContextQuery,
      body: CreateOrchestratorBody,
      needs: permitCreate(ORCHESTRATOR_TYPE, ({ body, query }: CreateContext) => namespacesOf(body, query.nsfilter)),
      replies: { 200: Orchestrator },
      handler: createOrchestrator(deps),
    }),
    route.get('/', {
      operation: 'orchestrators.list',
      summary: 'List the orchestrators of a namespace.',
      query: ListOrchestratorsQuery,
      replies: { 200: OrchestratorPage },
      handler: listOrchestrators(deps),
    }),
    route.get('/:id', {
      operation: 'orchestrators.get',
      summary: 'Read an orchestrator.',
      params: OrchestratorParams,
      query: ContextQuery,
      needs: permit('READ', ({ params }: ById) => orchestrators.find(params.id)),
      replies: { 200: Orchestrator },
      handler: async ({ resource }) => ok(showOrchestrator(resource)),
    }),
    route.post('/:id/run', {
      operation: 'orchestrators.run',
      summary: 'Run an orchestrator.',
      params: OrchestratorParams,
      query: ContextQuery,
      body: RunOrchestratorBody,
      needs: permit('RUN', ({ params }: ById) => orchestrators.find(params.id)),
      replies: { 200: Run },
      handler: runOrchestrator(deps),
    }),
  ]);
}
