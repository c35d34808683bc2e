import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import type { Precondition } from '@dtplatform/contracts';
import { errors } from '../errors.js';
import { parseTimeout } from '../orchestrators/duration.js';
import { Orchestrator, OrchStep, StepParameters } from '../orchestrators/orchestrator.js';

/**
 * A step of a run. `_actualparams` are the orchestrator's, overridden by the run's. Steps run one by one, so their
 * statuses follow from the run: see `stepStatus`. The other fields are absent before it starts.
 */
export const RunStep = z.object({
  id: ResourceId.describe('The id of the step of this run.'),
  _name: OrchStep.shape._name,
  orchstepid: OrchStep.shape.id.describe('The id of the step of the orchestrator.'),
  _compid: OrchStep.shape._compid,
  _orchrunid: ResourceId.describe('The id of the run.'),
  _actualparams: OrchStep.shape._actualparams.describe(
    'The parameters as JSON text: those of the orchestrator, overridden by those of the run.',
  ),
  _sequenceno: OrchStep.shape._sequenceno,
  _startedat: z
    .string()
    .optional()
    .describe('When it started, in milliseconds since 1970, as text; absent until then.'),
  _endedat: z.string().optional().describe('When it ended, in milliseconds since 1970, as text; absent until then.'),
  _progress: z.number().min(0).max(100).optional().describe('The progress in percent, as reported by its component.'),
  /** Reported by its component, or why the result was left out. The error of a failed step is in the run. */
  _statusmsg: z.string().optional(),
  _log: z
    .array(z.string())
    .optional()
    .describe('The latest lines written by its component, up to 100; absent in lists.'),
  /** JSON text: deeply nested values and long arrays would be too large for the database. */
  _resulttext: z.string().optional(),
});
export type RunStep = z.infer<typeof RunStep>;

/** The state of a step. */
export type StepState = Pick<RunStep, '_startedat' | '_endedat' | '_progress' | '_statusmsg' | '_log' | '_resulttext'>;

export const NOT_STARTED = {
  _startedat: undefined,
  _endedat: undefined,
  _progress: undefined,
  _statusmsg: undefined,
  _log: undefined,
  _resulttext: undefined,
} satisfies { [K in keyof Required<StepState>]: undefined };

/** State for the processes that work on a run. */
const RunWork = z.object({
  /** The namespace of the call that started it. */
  namespace: z.string(),
  /** The type of `_createdby`. */
  starterType: z.enum(['user', 'app', 'permprofile']),
  /** The permission profile whose permissions the steps have instead of the starter's. */
  profileId: ResourceId.optional(),
  /** Runs in its caller's request instead of the queue. */
  instant: z.boolean(),
  timeoutMs: z.number(),
  /** Number of completed steps. */
  done: z.int(),
  /** Held by the process that works on the run. */
  lease: z.object({ fence: z.int(), until: z.date().optional(), claim: z.string().optional() }),
  /** The current step has started and may not be repeated if it was interrupted. */
  mustNotRepeat: z.boolean().optional(),
  /** Number of retries, who made the last one, and the fence at that time. */
  retries: z.int().optional(),
  retrierType: z.enum(['user', 'app', 'permprofile']).optional(),
  fenceAtRetry: z.int().optional(),
  /** When the first process started, reset by a retry; milliseconds since 1970. */
  startedAt: z.number().optional(),
  /** How often it was postponed because a step could not reach part of the platform. */
  postponed: z.int().optional(),
  /** The call that queued it. */
  trace: z.object({ requestId: z.string().optional(), traceparent: z.string().optional() }).optional(),
  /** Its slots in the queues of its namespaces. */
  slots: z.array(z.string()).optional(),
});

/** One execution of an orchestrator. `_work` is internal. */
export const Run = z.object({
  _id: ResourceId.describe('The id of the run.'),
  _orchid: Orchestrator.shape._id,
  _name: Orchestrator.shape._name,
  _description: Orchestrator.shape._description,
  _namespaces: Orchestrator.shape._namespaces.describe('The namespaces of the orchestrator when the run was created.'),
  _usertype: Orchestrator.shape._userType,
  _createdby: z
    .string()
    .describe('The id of the user or app that started it; for a scheduled run, of the owner of the schedule.'),
  _retriedby: z
    .string()
    .optional()
    .describe('The id of the user or app that last retried it; absent if it was not retried.'),
  _createdat: z.string().describe('When it was created, in milliseconds since 1970, as text.'),
  _updatedat: z.string().describe('When it last changed, in milliseconds since 1970, as text.'),
  _status: z
    .enum(['QUEUED', 'RUNNING', 'COMPLETED', 'ERROR', 'CANCELLED'])
    .describe('The status of the run. `COMPLETED`, `ERROR` and `CANCELLED` are final.'),
  /** Why the current step failed. */
  _statusmsg: z.string().optional(),
  /** The result of the last step. */
  _result: z.unknown().optional(),
  orchrunsteps: z.array(RunStep),
  _work: RunWork,
  _revision: z.int().min(0),
});
export type Run = z.infer<typeof Run>;
export type RunStatus = Run['_status'];
/** The parts of a run that change: all but the parameters of its steps, which may be much larger than the rest. */
export type FollowedRun = Omit<Run, 'orchrunsteps'> & { orchrunsteps: Omit<RunStep, '_actualparams'>[] };

/** The error of a run whose step was interrupted and may not be repeated. */
export const INTERRUPTED = 'The step was interrupted and must not run again; retry the run.';

export const RETRYABLE: RunStatus[] = ['ERROR', 'CANCELLED'];
/** Whether a run has ended without being completed. */
export const isRetryable = ({ _status }: Pick<Run, '_status'>): boolean => RETRYABLE.includes(_status);
export const hasEnded = ({ _status }: Pick<Run, '_status'>): boolean => _status !== 'QUEUED' && _status !== 'RUNNING';

/** The subject whose permissions the steps have: the permission profile, or else the last starter or retrier. */
export function subjectOfSteps({ _createdby, _retriedby, _work }: Run) {
  const { starterType, retrierType, profileId } = _work;
  if (profileId !== undefined) return { id: profileId, type: 'permprofile' as const };
  if (_retriedby === undefined || retrierType === undefined) return { id: _createdby, type: starterType };
  return { id: _retriedby, type: retrierType };
}

/** Parameters for one step of a run, or for all steps of a component, identified by `_compid`. */
export const StepOverride = z
  .object({
    _sequenceno: OrchStep.shape._sequenceno.optional().describe('The number of the step.'),
    sequence_type_id: OrchStep.shape._compid
      .optional()
      .describe(
        'The `_compid` of the steps to override, instead of `_sequenceno`, which takes precedence if both are sent.',
      ),
    params: StepParameters.describe('Parameters that override the parameters of the step with the same names.'),
  })
  .refine(({ sequence_type_id, _sequenceno }) => sequence_type_id !== undefined || _sequenceno !== undefined, {
    message: 'must name a step by sequence_type_id or _sequenceno',
  })
  .meta({ id: 'StepOverride', description: 'Parameters for steps of one run.' });
type StepOverride = z.infer<typeof StepOverride>;

export interface RunRequest {
  orchestrator: Orchestrator;
  parameters: StepOverride[];
  /** The namespace of the call, one of the orchestrator's. */
  namespace: string;
  /** Revisions of the orchestrator that may run. */
  precondition: Precondition;
}

interface RunDefaults {
  starter: { id: string; type: Run['_work']['starterType'] };
  newId: () => string;
  instantLimitMs: number;
}

/** A run is one document, with the parameters, results and logs of all its steps. */
const MAX_PARAMETERS_BYTES = 4 * 1024 * 1024;
/** Default time limit of a run, as `24 * *`. */
const DEFAULT_TIMEOUT_MS = 24 * 3_600_000;

/**
 * A queued run of an orchestrator in its current state.
 * @throws 400 when parameters name an unknown step or are too large in total
 */
export function newRun(request: RunRequest, { starter, newId, instantLimitMs }: RunDefaults): Run {
  const { orchestrator, namespace } = request;
  const { _description, _userType, _permissionprofileid: profileId } = orchestrator;
  const id = newId();
  const now = String(Date.now());
  const instant = orchestrator._class === 'INSTANT';
  const timeoutMs = parseTimeout(orchestrator._timeout ?? '') ?? DEFAULT_TIMEOUT_MS;
  return {
    _id: id,
    _orchid: orchestrator._id,
    _name: orchestrator._name,
    ...(_description !== undefined && { _description }),
    _namespaces: orchestrator._namespaces,
    ...(_userType !== undefined && { _usertype: _userType }),
    _createdby: starter.id,
    _createdat: now,
    _updatedat: now,
    _status: 'QUEUED',
    orchrunsteps: runSteps(request, id, newId),
    _work: {
      namespace,
      starterType: starter.type,
      ...(profileId !== undefined && { profileId }),
      instant,
      timeoutMs: instant ? Math.min(timeoutMs, instantLimitMs) : timeoutMs,
      done: 0,
      lease: { fence: 0 },
    },
    _revision: 0,
  };
}

function runSteps({ orchestrator, parameters }: RunRequest, runId: string, newId: () => string): RunStep[] {
  const isFor = (step: OrchStep) => (given: StepOverride) =>
    given._sequenceno === undefined ? given.sequence_type_id === step._compid : given._sequenceno === step._sequenceno;
  const isForNone = (given: StepOverride) => !orchestrator.orchsteps.some((step) => isFor(step)(given));
  if (parameters.some(isForNone)) throw errors.unknownStep();
  let bytes = 0;
  return orchestrator.orchsteps.map((step) => {
    const own = JSON.parse(step._actualparams) as Record<string, unknown>;
    const given = parameters.filter(isFor(step)).map(({ params }) => params);
    const _actualparams = JSON.stringify(Object.assign(own, ...given));
    bytes += Buffer.byteLength(_actualparams);
    if (bytes > MAX_PARAMETERS_BYTES) throw errors.parametersTooLarge();
    return {
      id: newId(),
      _name: step._name,
      orchstepid: step.id,
      _compid: step._compid,
      _orchrunid: runId,
      _actualparams,
      _sequenceno: step._sequenceno,
    };
  });
}
