const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a number of bytes: `1.2 MB`. */
export function sizeOf(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const format = { style: 'unit', unit: UNITS[power], maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat('en-GB', format).format(bytes / 1000 ** power);
}

export const dateOf = (ms: number): string => DATE.format(ms);

/** Formats any value of an item as text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
