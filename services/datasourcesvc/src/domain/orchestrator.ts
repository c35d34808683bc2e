export type OrchestratorClass = 'NORMAL' | 'INSTANT';

/** One step: a component with its parameters. */
export interface OrchStep {
  id: string;
  /** The component's id, which is its name. */
  _compid: string;
  _orchid: string;
  /** JSON text. */
  _actualparams: string;
  _sequenceno: number;
  _name: string;
  _orchcomp: string;
}

/** An orchestrator as it is stored (contract: Orchestrator); callers see `_id` as `id`. */
export interface Orchestrator {
  _id: string;
  _name: string;
  _description?: string;
  _namespaces: string[];
  _userType?: string;
  _class: OrchestratorClass;
  _timeout?: string;
  _permissionprofileid?: string;
  _createdby: string;
  _updatedby: string;
  /** Milliseconds since 1970, as text. */
  _createdat: string;
  _updatedat: string;
  orchsteps: OrchStep[];
}

/** A task of a request; `name` is an alias of `_name`. */
export interface TaskRequest {
  _orchcomp: string;
  _sequenceno: number;
  _name?: string;
  name?: string;
  _actualparams?: Record<string, unknown>;
}

/** What a caller sends to create an orchestrator; `instant` and `_instant` are aliases of class INSTANT. */
export interface OrchestratorRequest {
  _name: string;
  _params: { tasks: TaskRequest[] };
  _description?: string;
  _namespaces?: string[];
  _userType?: string;
  _class?: OrchestratorClass | 'SCHEDULED';
  instant?: boolean;
  _instant?: boolean;
  _timeout?: string;
  _permissionprofileid?: string;
}

export const ORCHESTRATOR_TYPE = 'datasourcesvc:orchestrator';
export const orchestratorIrn = (id: string): string => `${ORCHESTRATOR_TYPE}:${id}`;

/** Where an orchestrator is to be: what the request says, else the namespace of the call. */
export const namespacesOf = ({ _namespaces }: OrchestratorRequest, nsfilter: string): string[] => [
  ...new Set(_namespaces ?? [nsfilter]),
];

/** Steps in the order in which they run: by `_sequenceno`, those with the same one as they were sent. */
export function stepsOf(tasks: TaskRequest[], orchestratorId: string, newId: () => string): OrchStep[] {
  return tasks
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
}
