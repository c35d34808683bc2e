import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { OrchStep } from '../orchestrators/orchestrator.js';

/**
 * A step of a run. Its `_actualparams` are the orchestrator's, overridden by those of the run. Steps run one after the
 * other, so their statuses follow from the run: see `stepStatus`. What happened in it is absent before it starts.
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
  _progress: z.number().min(0).max(100).optional().describe('How far it is, in percent, as its component reports it.'),
  /** What its component reports, or why its result was left out. Why it failed is in the run. */
  _statusmsg: z.string().optional(),
  _log: z
    .array(z.string())
    .optional()
    .describe('The newest lines that its component has written, up to 100; absent in lists.'),
  /** JSON text: values that are deeply nested, or whose arrays are long, would be too large for the database. */
  _resulttext: z.string().optional(),
});
export type RunStep = z.infer<typeof RunStep>;

/** What happened in a step. */
export type StepState = Pick<RunStep, '_startedat' | '_endedat' | '_progress' | '_statusmsg' | '_log' | '_resulttext'>;

/** The state of a step that has not started. */
export const NOT_STARTED = {
  _startedat: undefined,
  _endedat: undefined,
  _progress: undefined,
  _statusmsg: undefined,
  _log: undefined,
  _resulttext: undefined,
} satisfies { [K in keyof Required<StepState>]: undefined };
