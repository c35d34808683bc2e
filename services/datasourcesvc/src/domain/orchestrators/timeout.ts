import { z } from 'zod';
import { parseDuration } from './duration.js';

const FIELDS = [
  { unitMs: 3_600_000, min: 1, max: 24 },
  { unitMs: 60_000, min: 1, max: 59 },
  { unitMs: 1_000, min: 30, max: 59 },
];

/** The time limit of an orchestrator as text, such as `* 2 *` for two minutes. */
export const Timeout = z
  .string()
  .max(32)
  .refine((text) => parseTimeout(text) !== undefined, {
    message:
      'must be hours (1 to 24), minutes (1 to 59) and seconds (30 to 59), in this order and separated by spaces, with * for none, such as "* 2 *" for two minutes',
  });

/**
 * Parses the time limit of an orchestrator: hours (1 to 24), minutes (1 to 59) and seconds (30 to 59), separated by spaces,
 * with `*` for none. They add up (docs/contract.md, "Orchestrator").
 * @returns milliseconds, or undefined when the text is malformed or sets no limit
 */
export const parseTimeout = (text: string): number | undefined => parseDuration(text, FIELDS);
