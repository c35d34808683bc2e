import type { Bench } from './bench.js';
import type { Contest } from './measure.js';

/** A row of the table. */
export interface Row {
  row: string;
  /** The unit of work: `token`, `request`, `MiB`. */
  unit: string;
  /** The target ratio. */
  reach: number;
  /** An absolute target per second. */
  atLeast?: number;
  /** The comparison, in one line. */
  about: string;
  prepare(bench: Bench): Promise<Contest>;
}
