const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Parses an ISO 8601 date or time, in UTC unless it has an offset, to milliseconds since 1970; NaN for any other text.
 */
export function isoToMs(text: string): number {
  const match = ISO_8601.exec(text);
  if (!match || !isDate(text.slice(0, 10))) return NaN;
  const offset = match[1];
  const hasTime = text.includes('T');
  const plain = (offset ? text.slice(0, -offset.length) : text).replace(',', '.');
  const zone = !hasTime
    ? ''
    : !offset
      ? 'Z'
      : offset.length === 3
        ? `${offset}:00`
        : offset.replace(/^(...)(\d\d)$/, '$1:$2');
  return Date.parse(`${plain}${zone}`);
}

/** JavaScript parses February 30 as March 1. */
function isDate(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
