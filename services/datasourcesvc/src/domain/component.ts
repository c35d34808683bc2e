import type { z } from 'zod';
import { errors } from '../errors.js';

/** What a step knows of the run that it belongs to. */
export interface StepContext {
  /** The namespace in which the run works. */
  namespace: string;
  /** Aborted when the run is cancelled, is out of time or has to move to another process. */
  signal: AbortSignal;
}

/** A kind of step, known by its name. */
export interface Component {
  name: string;
  /**
   * Does the step's work and gives its result, which must survive JSON. It may be called again after a crash, so it must be
   * idempotent. The message of an AppError is shown to callers; of any other error nothing is.
   */
  run(params: unknown, context: StepContext): Promise<unknown>;
}

/** The components of a process, by name. */
export type Components = ReadonlyMap<string, Component>;

export const registryOf = (components: readonly Component[]): Components =>
  new Map(components.map((component) => [component.name, component]));

/** Declares a component whose parameters are validated before it runs. */
export const defineComponent = <P>(definition: {
  name: string;
  params: z.ZodType<P>;
  run: (params: P, context: StepContext) => Promise<unknown>;
}): Component => ({
  name: definition.name,
  run: async (params, context) => definition.run(parse(definition.params, params), context),
});

function parse<P>(schema: z.ZodType<P>, params: unknown): P {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw errors.badStepParameters({ message: `The parameters of the step are not valid. ${problems.join('; ')}` });
}
