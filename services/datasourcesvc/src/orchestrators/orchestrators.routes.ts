import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import {
  documents,
  noContent,
  nsfilter,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { StepOverride } from '../orchrun/run.js';
import type { Runs } from '../orchrun/runs.js';
import { ShownRun, showRun } from '../orchrun/shown-run.js';
import {
  ChangeOrchestrator,
  CreateOrchestrator,
  MAX_STEPS,
  namespacesOf,
  Orchestrator,
  ORCHESTRATOR_TYPE,
  ShownOrchestrator,
  showOrchestrator,
} from './orchestrator.js';
import type { Orchestrators } from './orchestrators.js';

/** Errors of creating or changing an orchestrator. */
const unstorable = [
  errors.nameTaken,
  errors.namespaceNotListed,
  errors.unknownComponent,
  errors.badStepParameters,
  errors.unknownProfile,
  errors.scheduleMissing,
  errors.scheduleNotAllowed,
  errors.tooManySchedules,
  errors.ownerMayNotRun,
];
/** Errors of running an orchestrator. */
const unrunnable = [
  errors.namespaceNotListed,
  errors.unknownStep,
  errors.unknownComponent,
  errors.badStepParameters,
  errors.parametersTooLarge,
  errors.tooManyQueued,
];

const OrchestratorPage = pageOf(ShownOrchestrator).meta({
  id: 'OrchestratorPage',
  description: 'A page of orchestrators.',
});

const ContextQuery = z.object({ nsfilter });
const ListOrchestratorsQuery = ContextQuery.extend(pagingParameters());
const OrchestratorParams = z.object({ id: Orchestrator.shape._id });

const RunOrchestratorBody = z
  .object({
    _actualparams: z
      .array(StepOverride)
      .max(MAX_STEPS)
      .optional()
      .describe('Parameters for this run only. If several are for the same step, the later ones take precedence.'),
  })
  .meta({ id: 'RunRequest', description: 'Options of a run.' })
  .optional();

type Create = RequestContext<unknown, z.infer<typeof ContextQuery>, CreateOrchestrator>;

const permittedToCreate = permitCreate(ORCHESTRATOR_TYPE, ({ body, query }: Create) => [
  { _namespaces: namespacesOf(body, query.nsfilter) },
]);

interface Parts {
  orchestrators: Orchestrators;
  runs: Runs;
}

export const orchestratorRoutes = (parts: Parts) => {
  const { orchestrators } = parts;
  return routes('/orchestrators', [
    route.post('/', {
      operation: 'orchestrators.create',
      summary: 'Create an orchestrator.',
      description:
        'The caller gets all permissions on it. Setting a permission profile requires ASSIGN on the profile.',
      errors: unstorable,
      query: ContextQuery,
      body: CreateOrchestrator,
      needs: permittedToCreate,
      responses: { 200: ShownOrchestrator },
      etag: revision,
      show: showOrchestrator,
      again: async (id, { query, access }) => access.require('READ', await orchestrators.find(id, query.nsfilter)),
      handler: async ({ body, query, access }) =>
        ok(await orchestrators.create(body, { namespace: query.nsfilter, access })),
    }),
    route.get('/', {
      operation: 'orchestrators.list',
      summary: 'List the orchestrators of a namespace that the caller may read.',
      needs: documents({ rule: 'filter', action: 'READ', resource: ORCHESTRATOR_TYPE }),
      query: ListOrchestratorsQuery,
      responses: { 200: OrchestratorPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await orchestrators.list(query.nsfilter, paging, access), paging, showOrchestrator);
      },
    }),
    route.get('/:id', {
      operation: 'orchestrators.get',
      summary: 'Read an orchestrator.',
      params: OrchestratorParams,
      query: ContextQuery,
      needs: permit('READ', ORCHESTRATOR_TYPE, orchestrators),
      responses: { 200: ShownOrchestrator },
      etag: revision,
      show: showOrchestrator,
      handler: async ({ resource }) => ok(resource),
    }),
    route.put('/:id', {
      operation: 'orchestrators.update',
      summary: 'Change the given fields of an orchestrator.',
      description:
        'Adding a namespace requires CREATE in it, and SHARE, READ, EDIT, DELETE and RUN in one of its current namespaces. ' +
        'Removing one requires DELETE in it or in the namespace in which the orchestrator was created; removing the latter requires DELETE in it. ' +
        'Changing what a schedule runs requires RUN; ' +
        'changing what runs with a permission profile requires ASSIGN.',
      errors: [...unstorable, commonErrors.conflict],
      params: OrchestratorParams,
      query: ContextQuery,
      body: ChangeOrchestrator,
      needs: permit('EDIT', ORCHESTRATOR_TYPE, orchestrators.anywhere),
      responses: { 200: ShownOrchestrator },
      etag: revision,
      show: showOrchestrator,
      ifMatch: true,
      handler: async ({ resource, body, query: { nsfilter: namespace }, access, precondition }) =>
        ok(await orchestrators.update(resource, body, { namespace, access, precondition })),
    }),
    route.delete('/:id', {
      operation: 'orchestrators.delete',
      summary: 'Remove an orchestrator. Its runs finish and are kept.',
      description:
        'With DELETE in the namespace in which it was created, it is removed from all its namespaces; otherwise, only from the namespace of the call.',
      errors: [commonErrors.conflict],
      params: OrchestratorParams,
      query: ContextQuery,
      needs: permit('DELETE', ORCHESTRATOR_TYPE, orchestrators),
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ resource, query: { nsfilter: namespace }, access, precondition }) => {
        await orchestrators.remove(resource, { namespace, access, precondition });
        return noContent();
      },
    }),
    runRoute(parts),
  ]);
};

const runRoute = ({ orchestrators, runs }: Parts) =>
  route.post('/:id/run', {
    operation: 'orchestrators.run',
    summary: 'Run an orchestrator.',
    description:
      'The response shows the run as `QUEUED`, or as ended for class `INSTANT`. The run acts in the namespace of the call.',
    errors: unrunnable,
    params: OrchestratorParams,
    query: ContextQuery,
    body: RunOrchestratorBody,
    mayTakeLong: true,
    needs: permit('RUN', ORCHESTRATOR_TYPE, orchestrators.anywhere),
    responses: { 200: ShownRun },
    etag: revision,
    show: showRun,
    again: async (id, { query, access }) => access.require('READ', await runs.find(id, query.nsfilter)),
    ifMatch: true,
    handler: async ({ resource: orchestrator, query, body, precondition, access }) => {
      const parameters = body?._actualparams ?? [];
      return ok(await runs.start({ orchestrator, parameters, namespace: query.nsfilter, precondition }, access));
    },
  });
