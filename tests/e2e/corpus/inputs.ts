/**
 * The expected result of an input: `refused` must be a 4xx everywhere; `kept` is rejected or returned as sent; `any`
 * may be accepted in another form, such as trimmed.
 */
type Verdict = 'refused' | 'kept' | 'any';

/** An invalid or unusual value, as JSON and as a query parameter or path segment. */
export interface Input {
  name: string;
  verdict: Verdict;
  /** JSON as bytes, possibly invalid; undefined if the input exists in URLs only. */
  json?: Buffer;
  /** Percent-encoded; undefined if the input exists in bodies only. */
  encoded?: string;
}

/** A marker in sent texts, which no error may repeat. */
export const MARK = 'zqmark';

const named = <T>(kind: string, values: T[]) => values.map((value, index): [string, T] => [`${kind} ${index}`, value]);

const text = ([name, value]: [string, string], verdict: Verdict = 'kept'): Input => ({
  ...{ name, verdict, json: Buffer.from(JSON.stringify(value)) },
  encoded: encodeURIComponent(value),
});
const literal = ([name, value]: [string, string], verdict: Verdict = 'kept'): Input => ({
  ...{ name, verdict, json: Buffer.from(value) },
  encoded: encodeURIComponent(value),
});
const inBody = ([name, value]: [string, string | Buffer], verdict: Verdict): Input => ({
  ...{ name, verdict, json: typeof value === 'string' ? Buffer.from(value) : value },
});
const inUrl = ([name, encoded]: [string, string], verdict: Verdict): Input => ({ name, verdict, encoded });

const repeat = (part: string, count: number) => part.repeat(count);
const latin1 = (value: string) => Buffer.from(value, 'latin1');

const CHARACTERS = [
  ...[
    '',
    ' ',
    '   ',
    '\t',
    '\n',
    '\r\n',
    ' a',
    'a ',
    'a\u00a0',
    '\u3000a',
    '\ufeffa',
    '\u200b',
    'a\u200bb',
    '\u202eabc',
  ],
  ...['\u0001', 'a\u001fb', '\u007f', 'a\u0085b', 'a\u009fb', 'a\u2028b', 'a\u2029b', '\ufffd', '\uffff', '\u{10ffff}'],
  ...['é', 'e\u0301', 'ﬁ', 'ß', 'ẞ', 'İ', 'ı', 'Σς', 'Å', '\u212b', '가', '\u1100\u1161', 'नि', 'ش', '漢字', '𝒳', '𠮷'],
  ...[
    '😀',
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    '❤️',
    '\u0301',
    repeat('\u0301', 50),
    repeat('😀', 20),
    `${repeat('a', 39)}😀`,
    `${repeat('a', 21)}𠮷`,
  ],
  ...[`${repeat('a', 127)}😀`, repeat('é', 128), repeat('漢', 1024), `${repeat('a', 1023)}😀`],
];
const SYNTAX = [
  ...[
    'null',
    'undefined',
    'NaN',
    'true',
    'false',
    '0',
    '-0',
    '[]',
    '{}',
    '"',
    "'",
    '`',
    '\\',
    '\\\\',
    '/',
    '//',
    '.',
    '*',
    '**',
    '%',
    '%%',
    '%s%n',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '_bsontype',
    '$where',
    '$ne',
    '$',
    'a.b',
    '.a',
    'a.',
    'a..b',
  ],
  ...[
    "' OR 1=1 --",
    '"; DROP TABLE users',
    '<script>alert(1)</script>',
    '{{7*7}}',
    '${7*7}',
    '$!{name}',
    '#set($a=1)',
    '#foreach',
    '=1+1',
    '@SUM(1)',
  ],
  ...[
    '../../etc/passwd',
    '..\\..\\windows',
    '/etc/passwd',
    'C:\\a',
    'CON',
    'a/b',
    'a:b:c',
    '*:*:*',
    'a:b',
    'a:b:c:d',
    ':::',
    'filesvc:file:',
    '::*',
  ],
  ...[
    'a\r\nSet-Cookie: b=c',
    'a;b',
    'a,b',
    ',',
    ',,',
    'a,,b',
    ' a , b ',
    'a=b&c=d',
    '?a',
    '#a',
    'a#b',
    'W/"1"',
    '"1"',
    '""',
  ],
  ...[
    '(',
    '[a-z',
    '(a+)+$',
    '(?=a)',
    '(?<a>b)\\k<a>',
    'a{1000000}',
    '\\p{Letter}',
    '^.*$',
    '(?i)a',
    '[[:alpha:]]',
    '\\1',
    'a|',
    '?',
    '+',
  ],
  ...[
    'userName eq "a"',
    'userName eq',
    'a eq "b" and',
    '((((a pr))))',
    'not (a pr',
    'emails[type eq "work"]',
    'meta.created gt "x"',
    'id sw 1',
  ],
];
const ADDRESSES = [
  ...[
    'javascript:alert(1)',
    'data:text/html,a',
    'view-source:https://a.example',
    'ws://a.example',
    'mailto:a@b.example',
    'file:///etc/passwd',
  ],
  ...[
    'http://127.0.0.1',
    'http://[::1]/',
    'http://169.254.169.254/',
    'https://a:b@c.example',
    'https://',
    'https:a',
    '//a.example',
    'http://a.example:0',
  ],
  ...[
    'http://0x7f.1',
    'https://a.example:99999',
    'https://a b.example',
    'https://xn--a',
    'https://münchen.example',
    'localhost:3000/cb',
    'app:/cb',
    'com.example.app:/cb',
  ],
  ...[
    'a@',
    '@b.example',
    'a@b',
    'a b@c.example',
    'a@b.example, c@d.example',
    '"a b"@c.example',
    'ä@ö.example',
    `${repeat('a', 65)}@b.example`,
    'A@B.EXAMPLE',
  ],
];
const TIMES = [
  ...[
    'yesterday',
    'now',
    '2025',
    '2025-13',
    '2025-02-30',
    '2025-02-29T00:00:00Z',
    '2025-01-01T24:00:00Z',
    '2025-01-01T25:00:00Z',
    '2025-01-01T00:00:60Z',
  ],
  ...[
    '2025-01-01',
    '2025-01-01T00:00',
    '2025-01-01T00:00:00',
    '2025-01-01T00:00:00.123456789Z',
    '2025-01-01T00:00:00+25:00',
    '+275760-09-13T00:00:00Z',
  ],
  ...[
    '+275760-09-13T00:00:00.001Z',
    '-271821-04-19T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '1e12',
    '8.64e15',
    '8640000000000001',
    '-1',
    '20250101T000000Z',
    '01/02/2025',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ],
  ...[
    '* * * * *',
    '60 * * * *',
    '0 0 31 2 *',
    '0 0 30 2 *',
    '*/0 * * * *',
    '5-1 * * * *',
    '* * * *',
    '* * * * * *',
    '@daily',
    '0,30 2 28 3 *',
    '1-1000000 * * * *',
    '*/999999999999 * * * *',
  ],
  ...[
    'Europe/Berlin',
    'europe/berlin',
    'Mars/Olympus',
    'UTC+1',
    'GMT',
    '+01:00',
    '* 2 *',
    '* * *',
    '60 * *',
    '1 1 1',
    '0 0 0',
    '-1 * *',
    '25 * *',
  ],
];
const TYPES = [
  ...[
    'text/csv; charset=windows-1252',
    'TEXT/HTML',
    'image/svg+xml',
    'text',
    'text/',
    '/html',
    'a/b/c',
    'text/html\r\nX: y',
    'text/html; a="b',
    'application/x-www-form-urlencoded',
  ],
  ...[
    'sha256:',
    'sha256:zz',
    `sha256:${repeat('0', 64)}`,
    'md5:AAAA',
    'crc32c:00000000',
    'sha1:00',
    'a:b',
    repeat('f', 24),
    repeat('F', 24),
    repeat('g', 24),
    repeat('f', 23),
  ],
];
const LONG = [128, 129, 256, 1024, 1025, 10_001, 65_536].map((count) => `${MARK}${repeat('a', count - MARK.length)}`);

/** Texts that can be stored. */
const TEXTS: Input[] = [
  ...named('characters', CHARACTERS).map((one) => text(one)),
  ...named(
    'syntax',
    SYNTAX.map((value) => value),
  ).map((one) => text(one)),
  ...named(
    'marked syntax',
    SYNTAX.filter((value) => value !== '').map((value) => `${MARK}${value}`),
  ).map((one) => text(one)),
  ...named('address', ADDRESSES).map((one) => text(one)),
  ...named('time', TIMES).map((one) => text(one)),
  ...named('type', TYPES).map((one) => text(one)),
  ...named('long text', LONG).map((one) => text(one)),
];

const NUMBERS: Input[] = [
  ...named('number', [
    ...[
      '0',
      '-0',
      '1',
      '-1',
      '2',
      '1.5',
      '-1.5',
      '0.1',
      '1e0',
      '1E+2',
      '1e-2',
      '1e21',
      '1e-400',
      '5e-324',
      '1.7976931348623157e308',
    ],
    ...[
      '255',
      '256',
      '65536',
      '2147483647',
      '2147483648',
      '-2147483648',
      '-2147483649',
      '4294967295',
      '4294967296',
      '1000000',
      '1000001',
    ],
    ...[
      '9007199254740991',
      '-9007199254740991',
      '9007199254740992',
      '9007199254740994',
      '8640000000000000',
      '8640000000000001',
      '1764000000000',
      '0.30000000000000004',
    ],
  ]).map((one) => literal(one)),
  ...named('integer that no double holds', [
    ...[
      '9007199254740993',
      '-9007199254740993',
      '12345678901234567890',
      '9223372036854775807',
      '-9223372036854775809',
      '18446744073709551615',
    ],
    ...[`1${repeat('0', 22)}1`, repeat('9', 400)],
  ]).map((one) => inBody(one, 'refused')),
  ...named('number that overflows', ['1e309', '-1e309', '1e999999', `1${repeat('0', 400)}`, '2e308']).map((one) =>
    inBody(one, 'refused'),
  ),
  ...named('no number', ['01', '+1', '.5', '1.', '0x10', '1_000', 'NaN', 'Infinity', '-', '1e', '١']).map((one) =>
    inBody(one, 'refused'),
  ),
  ...named('numeral', [
    '01',
    '+1',
    '.5',
    '1.',
    '0x10',
    '1_000',
    'NaN',
    'Infinity',
    '-',
    '1e',
    '%D9%A1',
    '1%20',
    '%201',
    '9007199254740993',
    '1e999',
    '1,5',
  ]).map((one) => inUrl(one, 'any')),
];

const OTHER_TYPES: Input[] = [
  ...named('boolean', ['true', 'false']).map((one) => literal(one)),
  ...named('null', ['null']).map((one) => literal(one, 'any')),
  ...named('flag', ['True', 'FALSE', '1', '0', 'yes', 'on', '', 'true,false', 'truе']).map(([name, value]) =>
    inUrl([name, encodeURIComponent(value)], 'any'),
  ),
  ...named('text in place of another type', [`"${MARK}"`, '""', '"1"', '"true"', '"null"', '"[]"', '"{}"']).map((one) =>
    literal(one, 'any'),
  ),
];

const CONTAINERS: Input[] = [
  ...named('container', [
    ...[
      '{}',
      '[]',
      '[[]]',
      '[{}]',
      '[null]',
      '[1,"a",null]',
      '[[[[[[[[[[1]]]]]]]]]]',
      '{"":1}',
      '{" ":1}',
      '{"a":null}',
      '{"a":{"b":{"c":[]}}}',
    ],
    ...[
      '{"$gt":""}',
      '{"$where":"1"}',
      '{"$ne":null}',
      '{"a.b":1}',
      '{".":1}',
      '{"a.":1}',
      '{"$a":1}',
      '{"a$b":1}',
      '{"a":{"$b":1}}',
      '{"$$ROOT":1}',
      '{"$ref":"a","$id":"b"}',
      '{"$oid":"x"}',
    ],
    ...[
      '{"constructor":{"prototype":{}}}',
      '{"toString":1}',
      '{"hasOwnProperty":1}',
      '{"valueOf":null}',
      '{"length":3}',
      '{"then":1}',
      '{"toJSON":1}',
      '{"toBSON":1}',
      '{"prototype":1}',
      '{"inspect":1}',
    ],
    ...[
      '{"_id":"x"}',
      '{"_revision":1}',
      '{"_metadata":1}',
      '{"_itemId":"a","_versionId":"b","_indexed":{}}',
      '{"password":"a","_secret":"b"}',
      '{"$__":1,"isNew":true}',
      '{"0":1,"1":2}',
    ],
    ...[
      `{"${repeat('a', 1025)}":1}`,
      `{"${repeat('é', 300)}":1}`,
      `[${repeat('0,', 5000)}0]`,
      `{${Array.from({ length: 500 }, (_, n) => `"k${n}":1`).join()}}`,
      '{"a":"\\u0041"}',
      '{"a":1,"a":2}',
    ],
    ...[`${repeat('[', 30)}1${repeat(']', 30)}`, `${repeat('{"a":', 30)}1${repeat('}', 30)}`],
  ]).map((one) => literal(one, 'any')),
  ...named('refused container', [
    ...[
      '{"_bsontype":"ObjectId"}',
      '{"_bsontype":"Long","low":1,"high":1}',
      '{"a":{"_bsontype":"Code"}}',
      '[{"_bsontype":1}]',
      '{"\\u005fbsontype":"Binary"}',
      '{"_bsontype":null}',
    ],
    ...[
      '{"__proto__":{"a":1}}',
      '{"a":[{"__proto__":1}]}',
      '{"\\u005f_proto__":{}}',
      '{"a\\u0000b":1}',
      '{"\\u0000":1}',
      '{"a":"\\u0000"}',
      '["\\ud800"]',
      '{"\\udc00":1}',
      '{"a":"\\udbff\\u0041"}',
    ],
    ...[
      '{"a":9007199254740993}',
      '[[[12345678901234567891]]]',
      '{"a":{"b":1e400}}',
      `${repeat('[', 2000)}${repeat(']', 2000)}`,
      `${repeat('{"a":', 2000)}1${repeat('}', 2000)}`,
    ],
    ...[
      '{',
      '[',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '[1,]',
      '{a:1}',
      "{'a':1}",
      '{"a":1}}',
      '// a\n1',
      '"\n"',
      '"\t"',
      '"\\x41"',
      '"\\u12"',
      '"a',
      'tru',
    ],
  ]).map((one) => inBody(one, 'refused')),
];

/** Texts that must not be stored, and bytes that are not text. */
const NO_TEXTS: Input[] = [
  ...named('NUL', ['\0', 'a\0', '\0a', `${MARK}\0.txt`]).map((one) => text(one, 'refused')),
  ...named('surrogate', ['"\\ud800"', '"a\\ud83d"', '"\\ude00a"', '"\\ud83d\\u0041"', '"\\udfff\\ud800"']).map((one) =>
    inBody(one, 'refused'),
  ),
  ...named(
    'bytes that are not UTF-8',
    [
      ...[
        '"caf\xe9"',
        '"\xff"',
        '"\xc0\x80"',
        '"\xe2\x82"',
        '"\xed\xa0\x80"',
        '"\xf5\x80\x80\x80"',
        '"\x80"',
        '"a\xfe\xff"',
        '"\xf0\x9f\x98"',
        '"\xc3("',
      ],
    ].map(latin1),
  ).map((one) => inBody(one, 'refused')),
  ...named('escape that is not UTF-8', [
    'caf%E9',
    '%FF',
    '%C0%80',
    '%E2%82',
    '%ED%A0%80',
    '%F5%80%80%80',
    '%80',
    'a%FE%FF',
  ]).map((one) => inUrl(one, 'refused')),
  ...named('broken escape', ['%', '%G0', '%1', '%u0041', 'a%']).map((one) => inUrl(one, 'any')),
];

/** All inputs, by the type of the place; an open place accepts all. */
export const INPUTS = {
  string: [...TEXTS, ...NO_TEXTS, ...NUMBERS.slice(0, 10), ...OTHER_TYPES, ...CONTAINERS],
  number: [...NUMBERS, ...NO_TEXTS, ...OTHER_TYPES, ...CONTAINERS.slice(0, 12), ...TEXTS.slice(0, 40)],
  boolean: [...OTHER_TYPES, ...NUMBERS, ...NO_TEXTS, ...CONTAINERS.slice(0, 12), ...TEXTS.slice(0, 40)],
  open: [...CONTAINERS, ...NO_TEXTS, ...NUMBERS, ...OTHER_TYPES, ...TEXTS],
} as const;

export const countInputs = (): number => new Set(Object.values(INPUTS).flat()).size;
