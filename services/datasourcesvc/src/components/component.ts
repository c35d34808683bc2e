import { z } from 'zod';
import { ComponentRegistration } from '@dtplatform/contracts';
import { describeIssue } from '@dtplatform/errors';

/**
 * Access tokens of the starter of a run, or of its permission profile, requested when they are needed. They reject with
 * a rejection once it is inactive or deleted.
 */
export interface StarterTokens {
  get(): Promise<string>;
  /** Forgets a token that was rejected. */
  discard(token: string): void;
}

/** What a step knows about its run. */
export interface StepContext {
  /** The same each time that the step runs for its run: what it has written can be recognized by it. */
  stepId: string;
  runId: string;
  /** The namespace that the run works in. */
  namespace: string;
  /**
   * A step has the rights of the run's starter, or of its permission profile: pass this as `as` with each call to another
   * service.
   */
  starter: StarterTokens;
  /** Aborted when the run is cancelled, exceeds its time limit or must move to another process. */
  signal: AbortSignal;
  /** Shows how far the step is: percent from 0 to 100. Cheap: frequent calls are combined into few writes. */
  progress: (percent: number, message?: string) => void;
  /** Adds a line to the log of the step, which its readers see. */
  log: (line: string) => void;
}

const MAX_NAME = 256;
const MAX_DESCRIPTION = 1024;

/** What authors of orchestrators see of a component. */
export const ComponentDescription = z
  .object({
    name: z.string().min(1).max(MAX_NAME).describe('The name of the component.'),
    description: z.string().min(1).max(MAX_DESCRIPTION).describe('What it does, in one sentence.'),
    mayRunAgain: ComponentRegistration.shape.mayRunAgain,
    parameters: z.record(z.string(), z.unknown()).describe('The JSON Schema of the parameters of its steps.'),
  })
  .meta({ id: 'Component', description: 'What steps of orchestrators can do.' });
export type ComponentDescription = z.infer<typeof ComponentDescription>;

/** A kind of step, known by its name. */
export interface Component extends ComponentDescription {
  /** What is wrong with parameters; `path` is within them. Empty when they are valid. */
  check(params: unknown): ParameterIssue[];
  /**
   * Does the step's work and returns its result, which must be serializable as JSON. Parameters have been checked.
   * Callers see the message of an AppError, and nothing of any other error.
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
