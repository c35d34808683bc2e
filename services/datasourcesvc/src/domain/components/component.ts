import type { z } from 'zod';
import { describeIssue, describeIssues } from '@dtplatform/errors';
import { errors } from '../../errors.js';

/**
 * Access tokens of the starter of a run, or of its permission profile, requested when they are needed. They reject with
 * a refusal once it is inactive or deleted.
 */
export interface StarterTokens {
  get(): Promise<string>;
  /** Forgets a token that was refused. */
  discard(token: string): void;
}

/** What a step knows about its run. */
export interface StepContext {
  /** The namespace that the run works in. */
  namespace: string;
  /**
   * A step has the rights of the run's starter, or of its permission profile: pass this as `as` with each call to another
   * service.
   */
  starter: StarterTokens;
  /** Aborted when the run is cancelled, exceeds its time limit or must move to another process. */
  signal: AbortSignal;
}

/** A kind of step, known by its name. */
export interface Component {
  name: string;
  /**
   * Does the step's work and returns its result, which must be serializable as JSON. It may be called again after a
   * crash, so it must be idempotent. Callers see the message of an AppError, and nothing of any other error.
   */
  run(params: unknown, context: StepContext): Promise<unknown>;
}

/** The components of a process, by name. */
export type Components = ReadonlyMap<string, Component>;

export const componentsByName = (components: readonly Component[]): Components =>
  new Map(components.map((component) => [component.name, component]));

/** Declares a component whose parameters are validated before each run. */
export const defineComponent = <P>(definition: {
  name: string;
  params: z.ZodType<P>;
  run: (params: P, context: StepContext) => Promise<unknown>;
}): Component => ({
  name: definition.name,
  run: async (params, context) => definition.run(parse(definition.params, params), context),
});

function parse<P>(schema: z.ZodType<P>, params: unknown): P {
  const parsed = schema.safeParse(params, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw errors.badStepParameters({
    message: `The parameters of the step are not valid. ${describeIssues(parsed.error.issues)}`,
  });
}
