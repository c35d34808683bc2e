import type { z } from 'zod';
import type { TokenSource } from '@dtplatform/service-client';

/** A component that this process serves. */
export interface ServedComponent<P> {
  /** Lower-case letters, digits, `_` and `-`; unique in the installation. */
  name: string;
  /** One sentence for the authors of orchestrators. */
  description: string;
  /** Whether the work may be done again when this process ends in the middle. If not, the step fails then. */
  mayRunAgain: boolean;
  params: z.ZodType<P>;
  /**
   * Does the work of a step. The result must be serializable as JSON, with 256 Ki characters at most. Readers of the run see
   * the message of an AppError, and nothing of any other error.
   */
  run: (params: P, context: CallContext) => Promise<unknown>;
}

/** What a component knows about the step that it works on. */
export interface CallContext {
  /** The same each time that the step runs for its run, and another one after a retry of the run. */
  callId: string;
  /** The namespace that the run works in. */
  namespace: string;
  /** The rights of the step: pass this as `as` with each call to a service. Never use those of this process instead. */
  starter: TokenSource;
  /** Aborted when the step must end: its run was cancelled or has run out of time, or this process stops. */
  signal: AbortSignal;
  /** Shows how far the step is: percent from 0 to 100. */
  progress: (percent: number, message?: string) => void;
  /** Adds a line to the log of the step, which its readers see. */
  log: (line: string) => void;
}
