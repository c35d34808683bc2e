import { z } from 'zod';
import { SubjectType } from './permissions.js';

const KIB = 1024;
const MAX_DESCRIPTION = 1024;
const MAX_SCHEMA_CHARS = 64 * KIB;
/** Maximum length of a step's result, as JSON. */
export const MAX_RESULT_CHARS = 256 * KIB;
const MAX_MESSAGE = 1000;
const MAX_LINES = 100;

const isShorter = (max: number) => (value: unknown) => JSON.stringify(value ?? null).length <= max;

/** The name of a component that another process serves; part of its queue's name. */
export const ComponentName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/)
  .describe('The name of the component.');

/** How a component describes itself to the platform. */
export const ComponentRegistration = z
  .object({
    description: z
      .string()
      .min(1)
      .max(MAX_DESCRIPTION)
      .describe('What the component does: one sentence for authors of orchestrators.'),
    mayRunAgain: z
      .boolean()
      .describe('Whether a step may run again after a crash interrupted it; if not, its run ends as `ERROR`.'),
    parameters: z
      .record(z.string(), z.unknown())
      .refine(isShorter(MAX_SCHEMA_CHARS), `must be at most ${MAX_SCHEMA_CHARS} characters of JSON`)
      .describe(
        `The JSON Schema (draft 2020-12) of the parameters, which are an object, in up to ${MAX_SCHEMA_CHARS} characters of JSON; formats are not checked.`,
      ),
  })
  .meta({ id: 'ComponentRegistration', description: 'A component, as described by the process that serves it.' });
export type ComponentRegistration = z.infer<typeof ComponentRegistration>;

/** Identifies a step and the time its run was started or retried. */
export const CallId = z
  .string()
  .regex(/^[0-9a-f]{24}-\d{1,15}$/)
  .describe('The id of the call: the id of the step and the time at which its run was started or retried.');

/** The queue of a component's calls. Its jobs hold only ids. */
export const componentQueue = (name: string): string => `datasourcesvc.components.${name}`;
export const componentCall = { name: 'component.call', payload: z.object({ callId: CallId }) } as const;

/** A step that a worker has claimed. */
export const ClaimedCall = z
  .object({
    id: CallId,
    params: z.record(z.string(), z.unknown()).describe('The parameters of the step, already validated.'),
    namespace: z.string().describe('The namespace of the run.'),
    starter: z
      .object({
        id: z.string().describe('The id of the user, app or permission profile.'),
        type: SubjectType.extract(['user', 'app', 'permprofile']).describe('The kind of subject.'),
      })
      .describe('The subject whose permissions the step has.'),
    fence: z.int().describe('A number that reports must include. It identifies the latest claim.'),
  })
  .meta({ id: 'ClaimedCall', description: 'A step that a worker has claimed.' });
export type ClaimedCall = z.infer<typeof ClaimedCall>;

/** A worker's progress report for a claimed call. Also its heartbeat: due every few seconds. */
export const CallReport = z
  .object({
    fence: z.int().describe('The number that the claim returned.'),
    progress: z
      .object({
        percent: z.number().min(0).max(100).describe('The progress of the step, in percent.'),
        message: z.string().max(MAX_MESSAGE).optional().describe('What the step is doing, in readable text.'),
      })
      .optional()
      .describe('The progress of the step; unchanged by default.'),
    log: z
      .array(z.string().max(MAX_MESSAGE))
      .max(MAX_LINES)
      .optional()
      .describe('Lines to append to the log of the step.'),
    outcome: z
      .discriminatedUnion('status', [
        z.object({
          status: z.literal('COMPLETED').describe('`COMPLETED` if the work is done.'),
          result: z
            .unknown()
            .refine(isShorter(MAX_RESULT_CHARS), `must be at most ${MAX_RESULT_CHARS} characters of JSON`)
            .describe(`The result of the step: any value of up to ${MAX_RESULT_CHARS} characters of JSON.`),
        }),
        z.object({
          status: z.literal('ERROR').describe('`ERROR` if the work has failed.'),
          message: z.string().min(1).max(MAX_MESSAGE).describe('Why it failed, in readable text.'),
        }),
        z.object({
          status: z.literal('INTERRUPTED').describe('`INTERRUPTED` if the worker stops before the step has ended.'),
        }),
      ])
      .optional()
      .describe('How the call ended; omit it while the work continues.'),
  })
  .meta({ id: 'CallReport', description: 'The report of a worker on a claimed call.' });
export type CallReport = z.infer<typeof CallReport>;
