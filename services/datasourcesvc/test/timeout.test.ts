import { describe, expect, it } from '@jest/globals';
import { parseTimeout } from '../src/orchestrators/duration.js';

describe('_timeout', () => {
  it.each([
    ['* 2 *', 120_000],
    ['* * 30', 30_000],
    ['1 * *', 3_600_000],
    ['24 59 59', 24 * 3_600_000 + 59 * 60_000 + 59_000],
    ['  1  1  30 ', 3_690_000],
  ])('parses %s', (text, ms) => expect(parseTimeout(text)).toBe(ms));

  it.each([
    '* * *',
    '',
    '1',
    '* *',
    '* * * *',
    '25 * *',
    '0 * *',
    '* 60 *',
    '* 0 *',
    '* * 29',
    '* * 60',
    '-1 * *',
    '1.5 * *',
    '1h * *',
    '*/2 * *',
  ])('rejects "%s"', (text) => expect(parseTimeout(text)).toBeUndefined());
});
