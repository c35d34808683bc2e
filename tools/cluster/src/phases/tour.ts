import { runTour } from '@dtplatform/stack';
import type { Surroundings } from '../surroundings.js';

/** The main job of the platform, from outside the cluster. */
export const tour = ({ dev, signal }: Surroundings): Promise<void> => runTour({ dev, signal, write: console.log });
