import { z } from 'zod';
import { nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { MAX_STEPS, Orchestrator, ShownOrchestrator } from '../../domain/orchestrators/orchestrator.js';
import { StepOverride } from '../../domain/orchrun/run.js';

export const OrchestratorPage = pageOf(ShownOrchestrator).meta({
  id: 'OrchestratorPage',
  description: 'A page of orchestrators.',
});

export const ContextQuery = z.object({ nsfilter });
export const ListOrchestratorsQuery = ContextQuery.extend(pagingParameters());
export const OrchestratorParams = z.object({ id: Orchestrator.shape._id });

export const RunOrchestratorBody = z
  .object({
    _actualparams: z
      .array(StepOverride)
      .max(MAX_STEPS)
      .optional()
      .describe('Parameters for this run only. If several are for the same step, the later ones take precedence.'),
  })
  .meta({ id: 'RunRequest', description: 'How to run an orchestrator.' })
  .optional();
