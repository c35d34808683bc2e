import { z } from 'zod';
import { CallId, ResourceId } from '@dtplatform/contracts';

/** A step whose work is done by a process of another team, which claims it and reports about it. */
export const ComponentCall = z.object({
  _id: CallId,
  _runId: ResourceId,
  _stepId: ResourceId,
  component: z.string(),
  /** Of the component, when the call was made: whether it may be repeated when its worker ends. */
  mayRunAgain: z.boolean(),
  status: z.enum(['QUEUED', 'RUNNING', 'COMPLETED', 'ERROR']),
  /** When it was put into the queue the last time, in milliseconds since 1970. */
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

/** A call of a step. Whoever makes it again, because its process died, makes the same one; a retry of the run another one. */
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

/** @param startedAt when the first process started, which is another time after a retry */
export const callIdOf = ({ _stepId, startedAt }: { _stepId: string; startedAt: number }): string =>
  `${_stepId}-${startedAt}`;
