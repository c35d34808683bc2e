import type { Stack } from '@dtplatform/stack';
import type { startOtlpCollector } from '@dtplatform/testing';

/** A stack for one test file, with tracing. Available once the tests run. */
export interface OwnStack {
  stack: Stack;
  stateDir: string;
  collector: Awaited<ReturnType<typeof startOtlpCollector>>;
}
