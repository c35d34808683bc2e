import { expect, it } from '@jest/globals';
import { byteRanges } from '../src/content/ranges.http.js';

const rangesOf = (header: string) => byteRanges(header, 10).map(({ start, end }) => `${start}-${end}`);

it.each([
  ['bytes=0-3', ['0-3']],
  ['bytes=4-', ['4-9']],
  ['bytes=-3', ['7-9']],
  ['bytes=9-100', ['9-9']],
  ['bytes=-100', ['0-9']],
  ['BYTES=0-3', ['0-3']],
  ['bytes=0-3,2-5', ['0-5']],
  ['bytes=0-3,4-5', ['0-5']],
  ['bytes=0-3, 12-15', ['0-3']],
  ['bytes=0-0,-100', ['0-9']],
  [`bytes=0-${'9'.repeat(400)}`, ['0-9']],
  ['bytes=6-7, 0-1, -1', ['6-7', '0-1', '9-9']],
])('%s selects %j of 10 bytes', (header, expected) => {
  expect(rangesOf(header)).toEqual(expected);
});

it.each(['bytes=5-2', 'lines=1-2', 'bytes=', 'bytes=,', 'bytes=a-b', 'bytes=0-1,5-2', 'bytes=0-1,x', 'bytes=0-0-0'])(
  '%s is ignored',
  (header) => {
    expect(rangesOf(header)).toEqual([]);
  },
);

it.each(['bytes=10-', 'bytes=-0', 'bytes=100-200', 'bytes=10-, 20-30,-0'])('%s is not satisfiable', (header) => {
  expect(() => rangesOf(header)).toThrow(expect.objectContaining({ status: 416 }));
});

it('ignores more than 16 ranges, and any range of empty content', () => {
  const every = (count: number, step: number) =>
    `bytes=${Array.from({ length: count }, (_, n) => `${n * step}-${n * step}`).join()}`;
  expect(byteRanges(every(16, 10), 1000)).toHaveLength(16);
  expect(byteRanges(every(17, 10), 1000)).toEqual([]);
  // Joined, they are one.
  expect(byteRanges(every(1000, 1), 1000)).toMatchObject([{ start: 0, end: 999 }]);
  expect(byteRanges('bytes=0-1', 0)).toEqual([]);
});
