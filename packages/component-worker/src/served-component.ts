import type { z } from 'zod';
import type { TokenSource } from '@dtplatform/service-client';

/** A component that this process serves. */
export interface ServedComponent<P> {
  /** Lower-case letters, digits, `_` and `-`; unique in the installation. */
  name: string;
  /** One sentence for authors of orchestrators. */
  description: string;
  /** Whether a step may be repeated if this process dies during it. Otherwise the step fails. */
  mayRunAgain: boolean;
  params: z.ZodType<P>;
  /**
   * Runs a step. The result must be serializable as JSON, with at most 256 Ki characters. Readers of the run see the
   * message of an AppError and nothing of any other error.
   */
  run: (params: P, context: CallContext) => Promise<unknown>;
}

/** What a component gets with a step. */
export interface CallContext {
  /** Stable across repetitions of the step in its run; changes when the run is retried. */
  callId: string;
  /** The namespace of the run. */
  namespace: string;
  /**
   * The permissions of the step: pass this as `as` with each call to a service. Never use those of this process
   * instead.
   */
  starter: TokenSource;
  /** Aborts when the step must end: its run was cancelled or has timed out, or this process stops. */
  signal: AbortSignal;
  /** Reports progress, from 0 to 100 percent. */
  progress: (percent: number, message?: string) => void;
  /** Appends a line to the step's log, which readers of the run see. */
  log: (line: string) => void;
}
