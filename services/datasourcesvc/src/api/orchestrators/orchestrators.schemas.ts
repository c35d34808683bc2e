import { z } from 'zod';
import { Namespace, ResourceId } from '@dtplatform/contracts';
import { nsfilter, pageOf, pagingParameters } from '@dtplatform/http';
import { parseTimeout } from '../../domain/timeout.js';

const MAX_NAME = 256;
const MAX_DESCRIPTION = 4096;
const MAX_NAMESPACES = 100;
const MAX_TASKS = 500;

const name = z.string().min(1).max(MAX_NAME);
const parameters = z.record(z.string(), z.unknown());

const OrchStep = z.object({
  id: z.string(),
  _compid: z.string(),
  _orchid: z.string(),
  _actualparams: z.string(),
  _sequenceno: z.number(),
  _name: z.string(),
  _orchcomp: z.string(),
});

export const Orchestrator = z.object({
  id: z.string(),
  _name: z.string(),
  _description: z.string().optional(),
  _namespaces: z.array(z.string()),
  _userType: z.string().optional(),
  _class: z.enum(['NORMAL', 'INSTANT']),
  _timeout: z.string().optional(),
  _permissionprofileid: z.string().optional(),
  _createdby: z.string(),
  _updatedby: z.string(),
  _createdat: z.string(),
  _updatedat: z.string(),
  orchsteps: z.array(OrchStep),
});
export const OrchestratorPage = pageOf(Orchestrator);

const Task = z.object({
  _orchcomp: name,
  _sequenceno: z.int(),
  _name: name.optional(),
  name: name.optional(),
  _actualparams: parameters.optional(),
});

const timeout = z
  .string()
  .max(32)
  .refine((text) => parseTimeout(text) !== undefined, {
    message:
      'must be hours (1 to 24), minutes (1 to 59) and seconds (30 to 59) separated by spaces, * where one is not set',
  });

export const CreateOrchestratorBody = z.object({
  _name: name,
  _params: z.object({ tasks: z.array(Task).min(1).max(MAX_TASKS) }),
  _description: z.string().max(MAX_DESCRIPTION).optional(),
  _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES).optional(),
  _userType: z.string().max(MAX_NAME).optional(),
  _class: z.enum(['NORMAL', 'INSTANT', 'SCHEDULED']).optional(),
  instant: z.boolean().optional(),
  _instant: z.boolean().optional(),
  _timeout: timeout.optional(),
  _permissionprofileid: ResourceId.optional(),
});
export type CreateOrchestratorBody = z.infer<typeof CreateOrchestratorBody>;

export const ContextQuery = z.object({ nsfilter });
export type ContextQuery = z.infer<typeof ContextQuery>;
export const ListOrchestratorsQuery = z.object({ nsfilter, ...pagingParameters() });
export type ListOrchestratorsQuery = z.infer<typeof ListOrchestratorsQuery>;
export const OrchestratorParams = z.object({ id: ResourceId });
export type OrchestratorParams = z.infer<typeof OrchestratorParams>;

const StepParameters = z
  .object({ sequence_type_id: name.optional(), _sequenceno: z.int().optional(), params: parameters })
  .refine(({ sequence_type_id, _sequenceno }) => sequence_type_id !== undefined || _sequenceno !== undefined, {
    message: 'must name a step by sequence_type_id or _sequenceno',
  });

export const RunOrchestratorBody = z
  .object({ _actualparams: z.array(StepParameters).max(MAX_TASKS).optional() })
  .optional();
export type RunOrchestratorBody = z.infer<typeof RunOrchestratorBody>;
