import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Resource } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import type { Orchestrator } from '../../domain/orchestrator.js';
import { showRun } from '../runs/show-run.js';
import type { ContextQuery, RunOrchestratorBody } from './orchestrators.schemas.js';

/** POST /orchestrators/{id}/run: the run, QUEUED; or ended, when the orchestrator's class is INSTANT. */
export const runOrchestrator =
  ({ runs }: Deps): Handler<{ query: ContextQuery; body: RunOrchestratorBody; resource: Orchestrator & Resource }> =>
  async ({ resource, query, body, access }) => {
    // RUN in another namespace of the orchestrator must not be a way to work in this one.
    if (resource._namespaces.includes(query.nsfilter)) {
      await access.requireIn('RUN', resource._irn, [query.nsfilter]);
    }
    const run = await runs.start({
      orchestrator: resource,
      parameters: body?._actualparams ?? [],
      namespace: query.nsfilter,
      createdById: access.principal.id,
    });
    return ok(showRun(run));
  };
