import type { TestRun } from '../test-run.js';

export async function faults(_run: TestRun): Promise<void> {
  await Promise.resolve();
}
