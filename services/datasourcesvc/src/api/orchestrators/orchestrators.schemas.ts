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
      .describe('Parameters for this run alone; of several for the same step, later ones count.'),
  })
  .meta({ id: 'RunRequest', description: 'How to run an orchestrator.' })
  .optional();
