import { expect, it } from '@jest/globals';
import { byteRanges } from '../src/content/ranges.http.js';
import { contentTypeOf } from '../src/content/request-bodies.http.js';
import { FileName } from '../src/files/file.js';
import { expectedOf, startHash } from '../src/uploads/checksum.js';

const rangesOf = (header: string) => byteRanges(header, 10).map(({ start, end }) => `${start}-${end}`);
const rejection = (status: number) => expect.objectContaining({ status });

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
  [`bytes=0-${'9'.repeat(400)}`, ['0-9']],
  ['bytes=6-7, 0-1, -1', ['6-7', '0-1', '9-9']],
  ...['bytes=5-2', 'lines=1-2', 'bytes=', 'bytes=a-b', 'bytes=0-1,5-2', 'bytes=0-0-0'].map(
    (ignored): [string, string[]] => [ignored, []],
  ),
])('%s selects %j of 10 bytes', (header, expected) => {
  expect(rangesOf(header)).toEqual(expected);
});

it.each(['bytes=10-', 'bytes=-0', 'bytes=10-, 20-30,-0'])('%s is not satisfiable', (header) => {
  expect(() => rangesOf(header)).toThrow(rejection(416));
});

it('more than 16 ranges, and any range of empty content, are ignored', () => {
  const every = (count: number, step: number) =>
    `bytes=${Array.from({ length: count }, (_, n) => `${n * step}-${n * step}`).join()}`;
  expect(byteRanges(every(16, 10), 1000)).toHaveLength(16);
  expect(byteRanges(every(17, 10), 1000)).toEqual([]);
  // Joined, they are one.
  expect(byteRanges(every(1000, 1), 1000)).toMatchObject([{ start: 0, end: 999 }]);
  expect(byteRanges('bytes=0-1', 0)).toEqual([]);
});

it('a file name has 1 to 255 printable characters, and is no path', () => {
  const isName = (name: string) => FileName.safeParse(name).success;
  const others = ['', '  ', 'n'.repeat(256), 'a\0b', 'a\nb', 'a\u0085b', '../a', 'a\\b', '.', '..'];
  expect(others.filter(isName)).toEqual([]);
  expect(['n'.repeat(255), 'Größe 尺寸 📐', '...'].every(isName)).toBe(true);
});

it.each([
  ['no-type.csv', undefined, 'text/csv'],
  ['no-type.GLB', undefined, 'model/gltf-binary'],
  ['no-type', undefined, 'application/octet-stream'],
  ['empty-type.png', '', 'image/png'],
  ['capitals.csv', 'Text/CSV;Charset="UTF-8"; header=present', 'Text/CSV;Charset="UTF-8"; header=present'],
])('%s with the type %p is stored as %s', (name, sent, kept) => {
  expect(contentTypeOf(name, sent)).toBe(kept);
});

it.each(['text', 'text/', '/csv', 'text/csv/x', 'text csv', 'text/cs\u00e4', `text/${'x'.repeat(300)}`])(
  'the content type %p is rejected',
  (type) => {
    expect(() => contentTypeOf('a.csv', type)).toThrow(rejection(400));
  },
);

it.each([
  ['sha256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
  ['md5', '25f9e794323b453885f5181f1b624d0b'],
  ['crc32c', 'e3069283'],
] as const)('a checksum may be a digest by %s, in hexadecimal or base64', async (algorithm, hex) => {
  const hash = await startHash(algorithm);
  for (const piece of ['1234', '56789']) hash.update(Buffer.from(piece));
  const digest = Buffer.from(hex, 'hex');
  expect(hash.digest().equals(digest)).toBe(true);
  for (const text of [hex, hex.toUpperCase(), digest.toString('base64')])
    expect(expectedOf(`${algorithm}:${text}`)).toEqual({ algorithm, digest });
  for (const text of ['', hex.slice(1), `${hex}00`, `-${hex}`])
    expect(() => expectedOf(`${algorithm}:${text}`)).toThrow(rejection(400));
  expect(expectedOf(hex)).toBeUndefined();
});
