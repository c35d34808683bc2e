/** What one of the three fields of a duration stands for, and the numbers that it may hold. */
export interface DurationField {
  unitMs: number;
  min: number;
  max: number;
}

/**
 * Adds up hours, minutes and seconds that are separated by spaces, with `*` for none.
 * @returns milliseconds, or undefined when the text is malformed or adds up to nothing
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
