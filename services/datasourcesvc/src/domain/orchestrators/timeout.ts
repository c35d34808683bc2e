import { z } from 'zod';

const FIELDS = [
  { unitMs: 3_600_000, min: 1, max: 24 },
  { unitMs: 60_000, min: 1, max: 59 },
  { unitMs: 1_000, min: 30, max: 59 },
] as const;

/** The time limit of an orchestrator as text, such as `* 2 *` for two minutes. */
export const Timeout = z
  .string()
  .max(32)
  .refine((text) => parseTimeout(text) !== undefined, {
    message: 'must be hours (1 to 24), minutes (1 to 59) and seconds (30 to 59) separated by spaces, with * for none',
  });

/**
 * Parses the time limit of an orchestrator: hours (1 to 24), minutes (1 to 59) and seconds (30 to 59), separated by spaces,
 * with `*` for none. They add up (docs/contract.md, "Orchestrator").
 * @returns milliseconds, or undefined when the text is malformed or sets no limit
 */
export function parseTimeout(text: string): number | undefined {
  const fields = text.trim().split(/ +/);
  if (fields.length !== FIELDS.length) return undefined;
  const parts = FIELDS.map((field, place) => fieldMs(fields[place]!, field));
  if (parts.includes(undefined)) return undefined;
  const totalMs = parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  return totalMs > 0 ? totalMs : undefined;
}

function fieldMs(text: string, { unitMs, min, max }: (typeof FIELDS)[number]): number | undefined {
  if (text === '*') return 0;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value * unitMs : undefined;
}
