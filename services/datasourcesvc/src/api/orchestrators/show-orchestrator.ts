import type { z } from 'zod';
import type { Orchestrator as StoredOrchestrator } from '../../domain/orchestrator.js';
import type { Orchestrator } from './orchestrators.schemas.js';

/** An orchestrator as callers see it (contract: Orchestrator). */
export const showOrchestrator = ({
  _id,
  _irn,
  ...fields
}: StoredOrchestrator & { _irn?: string }): z.infer<typeof Orchestrator> => ({ id: _id, ...fields });
