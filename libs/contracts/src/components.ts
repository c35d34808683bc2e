import { z } from 'zod';
import { SubjectType } from './permissions.js';

const KIB = 1024;
const MAX_DESCRIPTION = 1024;
const MAX_SCHEMA_CHARS = 64 * KIB;
/** Of the result of a step, as JSON. */
export const MAX_RESULT_CHARS = 256 * KIB;
const MAX_MESSAGE = 1000;
const MAX_LINES = 100;

const isShorter = (max: number) => (value: unknown) => JSON.stringify(value ?? null).length <= max;

/** The name of a component that another process serves; it is part of the name of its queue. */
export const ComponentName = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/);

/** What a process says about the component that it serves. */
export const ComponentRegistration = z.object({
  /** One sentence for the authors of orchestrators. */
  description: z.string().min(1).max(MAX_DESCRIPTION),
  /** Whether a step may run again after a crash interrupted it. */
  mayRunAgain: z.boolean(),
  /** JSON Schema (draft 2020-12) of an object; its formats are not checked. */
  parameters: z
    .record(z.string(), z.unknown())
    .refine(isShorter(MAX_SCHEMA_CHARS), `must be at most ${MAX_SCHEMA_CHARS} characters of JSON`),
});
export type ComponentRegistration = z.infer<typeof ComponentRegistration>;

/** A step, and when its run was started or retried. */
export const CallId = z.string().regex(/^[0-9a-f]{24}-\d{1,15}$/);

/** Where the calls of a component wait. The jobs hold only their ids. */
export const componentQueue = (name: string): string => `datasourcesvc.components.${name}`;
export const componentCall = { name: 'component.call', payload: z.object({ callId: CallId }) } as const;

/** A step that a worker has claimed. */
export const ClaimedCall = z.object({
  id: CallId,
  params: z.record(z.string(), z.unknown()),
  /** The namespace that the run works in. */
  namespace: z.string(),
  /** Whose rights the step has. The type is unknown for old runs. */
  starter: z.object({ id: z.string(), type: SubjectType.extract(['user', 'app', 'permprofile']).optional() }),
  /** Proves in reports who has claimed it last. */
  fence: z.int(),
});
export type ClaimedCall = z.infer<typeof ClaimedCall>;

/** What a worker says about a call that it has claimed, at least every few seconds: that is its heartbeat. */
export const CallReport = z.object({
  fence: z.int(),
  progress: z
    .object({ percent: z.number().min(0).max(100), message: z.string().max(MAX_MESSAGE).optional() })
    .optional(),
  /** Lines for the log of the step. */
  log: z.array(z.string().max(MAX_MESSAGE)).max(MAX_LINES).optional(),
  /** Ends the call. */
  outcome: z
    .discriminatedUnion('status', [
      z.object({
        status: z.literal('COMPLETED'),
        result: z
          .unknown()
          .refine(isShorter(MAX_RESULT_CHARS), `must be at most ${MAX_RESULT_CHARS} characters of JSON`),
      }),
      z.object({ status: z.literal('ERROR'), message: z.string().min(1).max(MAX_MESSAGE) }),
      /** The worker stops before the step has ended. */
      z.object({ status: z.literal('INTERRUPTED') }),
    ])
    .optional(),
});
export type CallReport = z.infer<typeof CallReport>;
