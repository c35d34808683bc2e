import { z } from 'zod';

/** The unit and range of one of a duration's three fields. */
export interface DurationField {
  unitMs: number;
  min: number;
  max: number;
}

/**
 * Adds up hours, minutes and seconds, separated by spaces, with `*` for none.
 * @returns milliseconds; undefined if the text is malformed or zero
 */
export function parseDuration(text: string, fields: readonly DurationField[]): number | undefined {
  const texts = text.trim().split(/ +/);
  if (texts.length !== fields.length) return undefined;
  const parts = fields.map((field, place) => fieldMs(texts[place]!, field));
  if (parts.includes(undefined)) return undefined;
  const totalMs = parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  return totalMs > 0 ? totalMs : undefined;
}

function fieldMs(text: string, { unitMs, min, max }: DurationField): number | undefined {
  if (text === '*') return 0;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value * unitMs : undefined;
}

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
 * Parses the time limit of an orchestrator: hours (1 to 24), minutes (1 to 59) and seconds (30 to 59), separated by
 * spaces, with `*` for none. They add up (docs/contract.md, "Orchestrators").
 * @returns milliseconds; undefined if the text is malformed or sets no limit
 */
export const parseTimeout = (text: string): number | undefined => parseDuration(text, FIELDS);
