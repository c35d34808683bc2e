import type { Bench } from './bench.js';
import type { Contest } from './measure.js';

/** One line of the table. */
export interface Row {
  row: string;
  unit: string;
  /** The ratio to reach. */
  reach: number;
  /** What is compared with what, in a line. */
  about: string;
  prepare(bench: Bench): Promise<Contest>;
}
