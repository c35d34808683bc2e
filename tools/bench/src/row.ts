import type { Bench } from './bench.js';
import type { Contest } from './measure.js';

/** One line of the table. */
export interface Row {
  row: string;
  /** What is counted: `token`, `request`, `MiB`. */
  unit: string;
  /** The target ratio. */
  reach: number;
  /** What ours must reach whatever the reference does, per second. */
  atLeast?: number;
  /** What is compared with what, in one line. */
  about: string;
  prepare(bench: Bench): Promise<Contest>;
}
