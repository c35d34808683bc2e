import { z } from 'zod';
import type { Resource } from '@dtplatform/permissions';
import { hasEnded, Run, RunStep } from './run.js';
import type { FollowedRun, RunStatus } from './run.js';

/** A step as callers see it. Lists omit its result and log. */
const ShownStep = RunStep.omit({ _resulttext: true })
  .extend({
    _status: Run.shape._status,
    _statusmsg: z
      .string()
      .describe('The message of its component, why it failed, or why its result was left out; may be empty.'),
    _progress: z.number().describe('The progress of the step, in percent.'),
    _result: z
      .unknown()
      .optional()
      .describe('The value that its component returned; null until then, or if it was left out; absent in lists.'),
  })
  .meta({ id: 'RunStep', description: 'A step of a run.' });
type ShownStep = z.infer<typeof ShownStep>;

export const ShownRun = z
  .object({
    id: Run.shape._id,
    ...Run.omit({ _id: true, _work: true, _revision: true }).shape,
    _statusmsg: z.string().describe('The message of the current step, or why it failed; may be empty.'),
    _progress: z.number().describe('The progress of the run, in percent.'),
    _attempts: z.int().describe('How many times it was started: once, plus once per retry.'),
    _result: z.unknown().describe('The result of the last step; null until then.'),
    orchrunsteps: z.array(ShownStep).describe('The steps, in the order in which they run.'),
  })
  .meta({ id: 'Run', description: 'One execution of an orchestrator.' });
export type ShownRun = z.infer<typeof ShownRun>;

/** A run in a list. */
export function showListedRun(run: Run & Partial<Resource>): ShownRun {
  const { _id, _irn, _work, _revision, _statusmsg, _result = null, orchrunsteps, ...fields } = run;
  const steps = orchrunsteps.map((step, index) => showStep(step, run, index));
  return {
    id: _id,
    ...fields,
    _statusmsg: steps[_work.done]?._statusmsg ?? '',
    _progress: Math.floor(steps.reduce((sum, { _progress }) => sum + _progress, 0) / Math.max(1, steps.length)),
    _attempts: 1 + (_work.retries ?? 0),
    _result,
    orchrunsteps: steps,
  };
}

/** A run with the results and logs of its steps. */
export function showRun(run: Run & Partial<Resource>): ShownRun {
  const shown = showListedRun(run);
  const orchrunsteps = shown.orchrunsteps.map((step, index) => {
    const { _log = [], _resulttext } = run.orchrunsteps[index]!;
    return { ...step, _log, _result: _resulttext === undefined ? null : (JSON.parse(_resulttext) as unknown) };
  });
  return { ...shown, orchrunsteps };
}

/** A run without the parameters of its steps. */
export const showFollowedRun = (run: FollowedRun & Partial<Resource>): object =>
  showRun(run as Run & Partial<Resource>);

function showStep({ _resulttext, _log, ...step }: RunStep, run: Run, index: number): ShownStep {
  const _status = stepStatus(run, index);
  const { _statusmsg = '', _progress = 0, _startedat, _endedat } = step;
  const failure = _status === 'ERROR' ? run._statusmsg : undefined;
  // A cancelled run, or one whose process died, has no end time in its current step.
  const ended = _endedat ?? (hasEnded(run) && _startedat !== undefined ? run._updatedat : undefined);
  return {
    ...step,
    _status,
    _statusmsg: failure ?? _statusmsg,
    _progress: _status === 'COMPLETED' ? 100 : _progress,
    ...(ended !== undefined && { _endedat: ended }),
  };
}

/** Steps before the current one are completed; later ones have not started. */
function stepStatus({ _status, _work: { done } }: Run, index: number): RunStatus {
  if (index < done) return 'COMPLETED';
  if (_status === 'RUNNING' || _status === 'ERROR') return index === done ? _status : 'QUEUED';
  return _status;
}
