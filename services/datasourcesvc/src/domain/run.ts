import { errors } from '../errors.js';
import type { Orchestrator, OrchStep } from './orchestrator.js';
import { parseTimeout } from './timeout.js';

export const RUN_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'ERROR', 'CANCELLED'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A step of a run. Steps run one after the other, so their statuses follow from the run: see `stepStatus`. */
export interface RunStep {
  id: string;
  _name: string;
  orchstepid: string;
  _compid: string;
  _orchrunid: string;
  /** JSON text: the orchestrator's parameters with those of the run on top. */
  _actualparams: string;
  _sequenceno: number;
}

/** What processes that work on a run need to know; not for callers. */
interface RunWork {
  /** Where the run works: the namespace of the call that started it. */
  namespace: string;
  /** Runs in the request of its caller, not in the queue. */
  instant: boolean;
  timeoutMs: number;
  /** How many steps are completed. */
  done: number;
  /** How often a process began to work on it. */
  claims: number;
  /** Whoever holds it may write; it changes with every process that takes the run over. */
  claim?: string;
  /** When the first process began, in milliseconds since 1970. */
  startedAt?: number;
  /** When to look whether the run got lost. Absent once it has ended. */
  checkAt?: number;
  /** Its places among the runs that are queued in its namespaces. */
  slots?: string[];
}

/** One execution of an orchestrator, as it is stored; callers see `_id` as `id`. */
export interface Run {
  _id: string;
  _orchid: string;
  _name: string;
  _description?: string;
  _namespaces: string[];
  _usertype?: string;
  _createdby: string;
  /** Milliseconds since 1970, as text. */
  _createdat: string;
  _updatedat: string;
  _status: RunStatus;
  /** Why the step that was reached failed. */
  _statusmsg?: string;
  /** What the last step gave. */
  _result?: unknown;
  orchrunsteps: RunStep[];
  _work: RunWork;
}

/** Parameters for one step of a run, or for all steps of a component. */
interface StepParameters {
  /** A step's `_compid`. */
  sequence_type_id?: string;
  _sequenceno?: number;
  params: Record<string, unknown>;
}

export interface RunRequest {
  orchestrator: Orchestrator;
  parameters: StepParameters[];
  /** The namespace of the call. */
  namespace: string;
  createdById: string;
}

/** Time limit of runs whose orchestrator sets none: what `24 * *` would be. */
const DEFAULT_TIMEOUT_MS = 24 * 3_600_000;

/**
 * A run of an orchestrator as it is now, QUEUED.
 * @throws 400 when parameters are meant for a step that is not there
 */
export function newRun(request: RunRequest, newId: () => string, instantLimitMs: number): Run {
  const { orchestrator, namespace, createdById } = request;
  const id = newId();
  const now = String(Date.now());
  const instant = orchestrator._class === 'INSTANT';
  const timeoutMs = parseTimeout(orchestrator._timeout ?? '') ?? DEFAULT_TIMEOUT_MS;
  return {
    _id: id,
    _orchid: orchestrator._id,
    _name: orchestrator._name,
    _description: orchestrator._description,
    _namespaces: orchestrator._namespaces,
    _usertype: orchestrator._userType,
    _createdby: createdById,
    _createdat: now,
    _updatedat: now,
    _status: 'QUEUED',
    orchrunsteps: runSteps(request, id, newId),
    _work: {
      namespace: orchestrator._namespaces.includes(namespace) ? namespace : orchestrator._namespaces[0]!,
      instant,
      timeoutMs: instant ? Math.min(timeoutMs, instantLimitMs) : timeoutMs,
      done: 0,
      claims: 0,
    },
  };
}

function runSteps({ orchestrator, parameters }: RunRequest, runId: string, newId: () => string): RunStep[] {
  const isFor = (step: OrchStep) => (given: StepParameters) =>
    given._sequenceno === undefined ? given.sequence_type_id === step._compid : given._sequenceno === step._sequenceno;
  const isForNone = (given: StepParameters) => !orchestrator.orchsteps.some((step) => isFor(step)(given));
  if (parameters.some(isForNone)) throw errors.unknownStep();
  return orchestrator.orchsteps.map((step) => {
    const own = JSON.parse(step._actualparams) as Record<string, unknown>;
    const given = parameters.filter(isFor(step)).map(({ params }) => params);
    return {
      id: newId(),
      _name: step._name,
      orchstepid: step.id,
      _compid: step._compid,
      _orchrunid: runId,
      _actualparams: JSON.stringify(Object.assign(own, ...given)),
      _sequenceno: step._sequenceno,
    };
  });
}

/** The status of the step at an index: those before the one that was reached are completed, those after it did not begin. */
export function stepStatus({ _status, _work: { done } }: Run, index: number): RunStatus {
  if (index < done) return 'COMPLETED';
  if (_status === 'RUNNING' || _status === 'ERROR') return index === done ? _status : 'QUEUED';
  return _status;
}
