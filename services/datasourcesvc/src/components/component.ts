import { z } from 'zod';
import { ComponentRegistration } from '@dtplatform/contracts';
import { describeIssue } from '@dtplatform/errors';

/**
 * Access tokens of a run's starter or its permission profile, requested on demand. They reject with a 4xx AppError once
 * the subject is inactive or deleted.
 */
export interface StarterTokens {
  get(): Promise<string>;
  /** Drops a rejected token. */
  discard(token: string): void;
}

/** What a step gets from its run. */
export interface StepContext {
  /** Stable across repetitions of the step in its run, so that earlier writes can be recognized. */
  stepId: string;
  runId: string;
  /** The namespace of the run. */
  namespace: string;
  /**
   * A step has the permissions of the run's starter or its permission profile: pass this as `as` with each call to
   * another service.
   */
  starter: StarterTokens;
  /** Aborts when the run is cancelled, exceeds its time limit or must move to another process. */
  signal: AbortSignal;
  /** Reports progress, from 0 to 100 percent. Cheap: frequent calls are combined into few writes. */
  progress: (percent: number, message?: string) => void;
  /** Appends a line to the step's log, which readers of the run see. */
  log: (line: string) => void;
}

const MAX_NAME = 256;
const MAX_DESCRIPTION = 1024;

/** A component as authors of orchestrators see it. */
export const ComponentDescription = z
  .object({
    name: z.string().min(1).max(MAX_NAME).describe('The name of the component.'),
    description: z.string().min(1).max(MAX_DESCRIPTION).describe('What it does, in one sentence.'),
    mayRunAgain: ComponentRegistration.shape.mayRunAgain,
    parameters: z.record(z.string(), z.unknown()).describe('The JSON Schema of the parameters of its steps.'),
  })
  .meta({ id: 'Component', description: 'What steps of orchestrators can do.' });
export type ComponentDescription = z.infer<typeof ComponentDescription>;

/** A kind of step, identified by its name. */
export interface Component extends ComponentDescription {
  /** The problems of parameters, with paths inside them; empty if valid. */
  check(params: unknown): ParameterIssue[];
  /**
   * Runs the step and returns its result, which must be serializable as JSON. The parameters are valid. Callers see the
   * message of an AppError and nothing of any other error.
   */
  run(params: unknown, context: StepContext): Promise<unknown>;
}

export interface ParameterIssue {
  path: PropertyKey[];
  message: string;
}

/** Declares a component by the schema of its parameters. */
export const defineComponent = <P>(
  definition: Pick<Component, 'name' | 'description' | 'mayRunAgain'> & {
    params: z.ZodType<P>;
    run: (params: P, context: StepContext) => Promise<unknown>;
  },
): Component => {
  const { params: schema, run, ...rest } = definition;
  return {
    ...rest,
    parameters: z.toJSONSchema(schema, { io: 'input' }),
    check: (params) => {
      const { error } = schema.safeParse(params, { error: describeIssue });
      return error?.issues.map(({ path, message }) => ({ path, message })) ?? [];
    },
    run: async (params, context) => run(schema.parse(params), context),
  };
};
