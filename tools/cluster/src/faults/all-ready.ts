import { until } from '@dtplatform/stack';
import { PLATFORM_PODS } from '../context.js';
import type { TestRun } from '../test-run.js';
import { isReady, restartsOf } from '../tools/kubectl.js';

const TIMEOUT_MS = 240_000;

/** Waits until every pod of the platform is ready. */
export const untilAllReady = ({ kubectl, signal }: TestRun): Promise<void> =>
  until('every pod is ready', async () => (await kubectl.pods(PLATFORM_PODS)).every(isReady), {
    ...{ timeoutMs: TIMEOUT_MS, everyMs: 1000, signal },
  });

/** Waits until no pod of the platform is ready. */
export const untilNoneReady = ({ kubectl, signal }: TestRun): Promise<void> =>
  until('no pod is ready', async () => !(await kubectl.pods(PLATFORM_PODS)).some(isReady), {
    ...{ timeoutMs: TIMEOUT_MS, everyMs: 1000, signal },
  });

/** Rejects if a container of the platform restarts meanwhile. */
export async function withoutRestarts({ kubectl }: TestRun, work: () => Promise<void>): Promise<void> {
  const restarts = async () => (await kubectl.pods(PLATFORM_PODS)).reduce((sum, pod) => sum + restartsOf(pod), 0);
  const before = await restarts();
  await work();
  const count = (await restarts()) - before;
  if (count > 0) throw new Error(`${count} containers restarted`);
}

/** Rejects unless the work fails with a message that contains the text. */
export async function fails(what: string, text: string, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  if (error === undefined) throw new Error(`${what} did not fail`);
  if (!error.message.includes(text)) throw error;
}
