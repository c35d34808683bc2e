import { until } from '@dtplatform/stack';
import { PLATFORM_PODS } from './context.js';
import type { TestRun } from './test-run.js';
import { isReady } from './tools/kubectl.js';

const TIMEOUT_MS = 180_000;

/** Waits until the pods of earlier versions are gone, which still answer some requests while they drain. */
export const untilSettled = ({ kubectl, signal }: TestRun): Promise<void> =>
  until('the pods of earlier versions are gone', async () => (await kubectl.pods(PLATFORM_PODS)).every(isReady), {
    ...{ timeoutMs: TIMEOUT_MS, everyMs: 1000, signal },
  });
