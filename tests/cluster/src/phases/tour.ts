import { runTour } from '@dtplatform/stack';
import type { TestRun } from '../test-run.js';

/** Runs the tour from outside the cluster. */
export async function tour({ dev, signal }: TestRun): Promise<void> {
  await runTour({ dev, signal, write: console.log });
}
