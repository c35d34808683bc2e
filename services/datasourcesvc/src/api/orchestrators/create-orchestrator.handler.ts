import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { ContextQuery, CreateOrchestratorBody } from './orchestrators.schemas.js';
import { showOrchestrator } from './show-orchestrator.js';

/** POST /orchestrators: the contract's answer to this is a 200. */
export const createOrchestrator =
  ({ orchestrators }: Deps): Handler<{ query: ContextQuery; body: CreateOrchestratorBody }> =>
  async ({ body, query, access }) =>
    ok(showOrchestrator(await orchestrators.create(body, query.nsfilter, access)));
