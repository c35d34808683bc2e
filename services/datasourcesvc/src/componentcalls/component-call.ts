import { z } from 'zod';
import { CallId, ResourceId } from '@dtplatform/contracts';

/** A call of a step whose component runs in another team's process, which claims it and reports on it. */
export const ComponentCall = z.object({
  _id: CallId,
  _runId: ResourceId,
  _stepId: ResourceId,
  component: z.string(),
  /** Copied from the component when the call was made: whether to repeat the call if its worker dies. */
  mayRunAgain: z.boolean(),
  status: z.enum(['QUEUED', 'RUNNING', 'COMPLETED', 'ERROR']),
  /** When it was last queued, in milliseconds since 1970. */
  queuedAt: z.number(),
  /** Held by the worker that has claimed it. */
  lease: z.object({ fence: z.int(), until: z.date().optional() }),
  percent: z.number().optional(),
  message: z.string().optional(),
  lines: z.array(z.string()),
  /** JSON text. */
  resultText: z.string().optional(),
  /** Why it failed. */
  error: z.string().optional(),
  expiresAt: z.date(),
});
export type ComponentCall = z.infer<typeof ComponentCall>;

const KEPT_FOR_MS = 2 * 24 * 3_600_000;

/** A step's call. Repeating a step after its process died yields the same call; a retry of the run yields a new one. */
export const newCall = (
  wanted: Pick<ComponentCall, '_runId' | '_stepId' | 'component' | 'mayRunAgain'> & { startedAt: number },
): ComponentCall => {
  const { startedAt, ...fields } = wanted;
  return {
    _id: callIdOf(wanted),
    ...fields,
    status: 'QUEUED',
    queuedAt: Date.now(),
    lease: { fence: 0 },
    lines: [],
    expiresAt: new Date(Date.now() + KEPT_FOR_MS),
  };
};

/** @param startedAt when the first process started; changes with a retry */
export const callIdOf = ({ _stepId, startedAt }: { _stepId: string; startedAt: number }): string =>
  `${_stepId}-${startedAt}`;
