const MAX_TIMESTAMP = 9_999_999_999_999;

/** Timestamps with the 13 digits of present-day ones compare as text in order of time. */
export const timestampText = (ms: number): string => String(Math.min(Math.max(0, ms), MAX_TIMESTAMP)).padStart(13, '0');
