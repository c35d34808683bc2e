import type { Stack } from '@dtplatform/stack';
import type { startOtlpCollector } from '@dtplatform/testing';

/** A stack that only one test file uses, which traces. It is there once the tests run. */
export interface OwnStack {
  stack: Stack;
  stateDir: string;
  collector: Awaited<ReturnType<typeof startOtlpCollector>>;
}
