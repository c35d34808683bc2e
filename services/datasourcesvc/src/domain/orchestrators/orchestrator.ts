import { z } from 'zod';
import { MAX_NAMESPACES, Namespace, ResourceId } from '@dtplatform/contracts';
import type { Resource } from '@dtplatform/permissions';
import { Timeout } from './timeout.js';

const MAX_NAME = 256;
const MAX_DESCRIPTION = 4096;
export const MAX_STEPS = 500;

const Name = z.string().min(1).max(MAX_NAME);
/** The parameters of a step; its component knows their types. */
export const StepParameters = z.record(z.string(), z.unknown());

/** One step: a component with its parameters. */
export const OrchStep = z.object({
  id: ResourceId,
  /** The component's id, which is its name. */
  _compid: Name,
  _orchid: ResourceId,
  /** JSON text. */
  _actualparams: z.string(),
  _sequenceno: z.int(),
  _name: Name,
  _orchcomp: Name,
});
export type OrchStep = z.infer<typeof OrchStep>;

/** An ordered list of steps (docs/contract.md, "Orchestrator"). */
export const Orchestrator = z.object({
  _id: ResourceId,
  _name: Name,
  _description: z.string().max(MAX_DESCRIPTION).optional(),
  _namespaces: z.array(Namespace).min(1).max(MAX_NAMESPACES),
  _userType: z.string().max(MAX_NAME).optional(),
  /** INSTANT: runs in the request of its caller, not in the queue. */
  _class: z.enum(['NORMAL', 'INSTANT']),
  _timeout: Timeout.optional(),
  _permissionprofileid: ResourceId.optional(),
  _createdby: z.string(),
  _updatedby: z.string(),
  /** Milliseconds since 1970, as text. */
  _createdat: z.string(),
  _updatedat: z.string(),
  orchsteps: z.array(OrchStep).min(1).max(MAX_STEPS),
  _revision: z.int().min(0),
});
export type Orchestrator = z.infer<typeof Orchestrator>;

/** An orchestrator as callers see it. */
export const ShownOrchestrator = z.object({
  id: Orchestrator.shape._id,
  ...Orchestrator.omit({ _id: true, _revision: true }).shape,
});
export const showOrchestrator = ({
  _id,
  _irn,
  _revision,
  ...fields
}: Orchestrator & Partial<Resource>): z.infer<typeof ShownOrchestrator> => ({ id: _id, ...fields });

/** A step of a new orchestrator; `name` is an alias of `_name`. */
const Task = OrchStep.pick({ _orchcomp: true, _sequenceno: true, _name: true })
  .partial({ _name: true })
  .extend({ name: OrchStep.shape._name.optional(), _actualparams: StepParameters.optional() });

/** What a caller sends to create an orchestrator; `instant` and `_instant` are aliases of class INSTANT. */
export const CreateOrchestrator = Orchestrator.pick({
  _name: true,
  _description: true,
  _namespaces: true,
  _userType: true,
  _timeout: true,
  _permissionprofileid: true,
})
  .partial({ _namespaces: true })
  .extend({
    _params: z.object({ tasks: z.array(Task).min(1).max(MAX_STEPS) }),
    _class: z.enum([...Orchestrator.shape._class.options, 'SCHEDULED']).optional(),
    instant: z.boolean().optional(),
    _instant: z.boolean().optional(),
  });
export type CreateOrchestrator = z.infer<typeof CreateOrchestrator>;

export const ORCHESTRATOR_TYPE = 'datasourcesvc:orchestrator';
export const orchestratorIrn = (id: string): string => `${ORCHESTRATOR_TYPE}:${id}`;

/** The namespaces of a new orchestrator: those in the request, by default the namespace of the call. */
export const namespacesOf = ({ _namespaces }: CreateOrchestrator, nsfilter: string): string[] => [
  ...new Set(_namespaces ?? [nsfilter]),
];

/** Steps in the order in which they run: by `_sequenceno`; tasks with the same number keep the order of the request. */
export const stepsOf = (
  { _params: { tasks } }: CreateOrchestrator,
  orchestratorId: string,
  newId: () => string,
): OrchStep[] =>
  tasks
    .toSorted((a, b) => a._sequenceno - b._sequenceno)
    .map(({ _orchcomp, _sequenceno, _name, name, _actualparams = {} }) => ({
      id: newId(),
      _compid: _orchcomp,
      _orchid: orchestratorId,
      _actualparams: JSON.stringify(_actualparams),
      _sequenceno,
      _name: _name ?? name ?? _orchcomp,
      _orchcomp,
    }));
