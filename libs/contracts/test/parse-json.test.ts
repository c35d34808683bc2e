import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonRejected, parseJson, rejectUnstorable } from '../src/index.js';

/** The message of the rejection, empty if there was none. */
function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    if (error instanceof JsonRejected) return error.message;
    throw error;
  }
}
const rejection = (text: string | Buffer) => messageOf(() => parseJson(text));

describe('parseJson', () => {
  it('parses the output of JSON.stringify, as bytes and as text', () => {
    const isAllowed = (text: string) => !text.includes('\\u0000') && !text.includes('__proto__');
    const json = fc.json({ stringUnit: 'binary' }).filter(isAllowed);
    fc.assert(
      fc.property(json, (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
        expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('rejects exactly the texts that JSON.parse rejects, and names a line', () => {
    const tokens = '{ } [ ] , : "a" " \\ \\n \\x 1 - 0 .5 e1 true nul \n';
    const part = fc.constantFrom(' ', ...tokens.split(' '));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(rejection(text)).toMatch(/^is not valid JSON \(line \d+, column \d+\)$/);
          return;
        }
        expect(parseJson(text)).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns integers unchanged', () => {
    const literal = fc
      .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 25n }))
      .map(([n, i]) => `${n ? '-' : ''}${i}`);
    fc.assert(
      fc.property(literal, fc.constantFrom('%', '[%]', '{"é": [0, %]}'), (number, frame) => {
        const isKept = BigInt(Number(number)) === BigInt(number) || String(Number(number)) === number;
        const parse = () => parseJson(Buffer.from(frame.replace('%', number)));
        if (isKept) expect(parse).not.toThrow();
        else expect(parse).toThrow(JsonRejected);
      }),
    );
  });

  it.each([
    '9007199254740992',
    '10000000000000000000000',
    '1152921504606847000',
    '0.1234567890123456789',
    '1e308',
    '1E-999',
    '12345678901234567.5',
    '"9007199254740993"',
    '"1e999"',
  ])('accepts %s', (text) => expect(parseJson(text)).toBe(JSON.parse(text)));

  it.each([
    ['9007199254740993', ''],
    ['[0, -9007199254740993]', ': [1]'],
    ['[{}, {"a b": {"_n": 12345678901234567890}}]', ': [1]["a b"]._n'],
    ['{"a": "\\"", "n": 1e999}', ': n'],
    ['{"n": -1E+400}', ': n'],
    [`{"n": ${'9'.repeat(400)}}`, ': n'],
    [`{"n": ${'9'.repeat(400)}.5}`, ': n'],
    [`{"${'k'.repeat(100)}": 1e999}`, `: ${'k'.repeat(64)}`],
  ])('rejects the number in %s', (text, place) => {
    expect(rejection(text)).toBe(`has a number that cannot be represented exactly; send it as text${place}`);
    expect(rejection(Buffer.from(text))).toBe(rejection(text));
  });

  it.each([
    ['{"_bsontype": 1}', 'has a field with a reserved name: _bsontype'],
    ['[{"\\u005fbsontype": 1}]', 'has a field with a reserved name: [0]._bsontype'],
    ['{"_bson\\u0074ype": 1}', 'has a field with a reserved name: _bsontype'],
    ['{"a": {"__proto__": 1}}', 'has a field with a reserved name: a.__proto__'],
    ['{"a": {"b\\u0000": 1}}', 'has a field whose name is text that contains the character NUL: a'],
    ['{"a": ["x\\u0000"]}', 'has text that contains the character NUL: a[0]'],
    ['{"a": "x\\ud800y"}', 'has text that is not valid Unicode: a'],
    ['{"a": "\\udc00\\uD800"}', 'has text that is not valid Unicode: a'],
    ['{"\\uDBFF": 1}', 'has a field whose name is text that is not valid Unicode'],
  ])('rejects %s', (text, message) => expect(rejection(text)).toBe(message));

  it.each(['"\\ud83d\\ude00"', '"\\\\u0000"', '"__proto__ _bsontype"', '{"_bsontype_": 1}', '{"$a.b": "\\u005f"}'])(
    'accepts %s',
    (text) => expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text)),
  );

  it('rejects invalid Unicode with its position', () => {
    expect(rejection('"\ud800"')).toBe('is not valid Unicode');
    expect(rejection(Buffer.from('{"a":\n "é\xff"}', 'latin1'))).toBe('is not valid UTF-8 (line 2, column 3)');
    expect(rejection(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe('is not valid UTF-8 (line 1, column 2)');
    expect(rejection(Buffer.from([0x22, 0xc3]))).toBe('is not valid UTF-8 (line 1, column 2)');
  });

  it.each([
    ['', 'line 1, column 1'],
    ['{"a": }', 'line 1, column 7'],
    ['{\n "😀é": tru}', 'line 2, column 8'],
    ['[1e999,]', 'line 1, column 8'],
    ['[1] x', 'line 1, column 5'],
    ['"\t"', 'line 1, column 2'],
    ['{"a":1', 'line 1, column 7'],
  ])('reports the position of the error in %j', (text, place) =>
    expect(rejection(text)).toBe(`is not valid JSON (${place})`),
  );

  it('rejects text with too many values or too many levels', () => {
    expect(() => parseJson('['.repeat(65) + ']'.repeat(65))).not.toThrow();
    expect(rejection('['.repeat(100_000))).toMatch(/nested more than 64 levels deep/);
    expect(rejection(`[${'1,'.repeat(1_000_001)}1]`)).toMatch(/more than 1000000 values/);
  });
});

describe('rejectUnstorable', () => {
  it('rejects exactly what parseJson rejects', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(messageOf(() => rejectUnstorable(value))).toBe(rejection(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    [{ a: [Number.NaN] }, 'has a number that is not finite: a[0]'],
    [[Infinity], 'has a number that is not finite: [0]'],
    [{ a: '\0' }, 'has text that contains the character NUL: a'],
    [{ a: { _bsontype: 'x' } }, 'has a field with a reserved name: a._bsontype'],
  ])('rejects %j', (value, message) => expect(messageOf(() => rejectUnstorable(value))).toBe(message));

  it('terminates for cyclic values', () => {
    const cycle: Record<string, unknown> = {};
    cycle.a = cycle;
    expect(messageOf(() => rejectUnstorable(cycle))).toBe('is nested more than 64 levels deep');
  });
});
