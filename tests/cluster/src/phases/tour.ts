import { runTour } from '@dtplatform/stack';
import type { TestRun } from '../test-run.js';

/** Runs the tour from outside the cluster. */
export const tour = ({ dev, signal }: TestRun): Promise<void> => runTour({ dev, signal, write: console.log });
