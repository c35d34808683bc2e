import { deflateSync } from 'node:zlib';

/** A file whose content does not match its name. */
export interface Content {
  name: string;
  bytes: Buffer;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const named = (extension: string, contents: (string | Buffer)[]): Content[] =>
  contents.map((content, index) => ({
    name: `${index}.${extension}`,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
  }));

const SIGNATURE = latin1('\x89PNG\r\n\x1a\n');
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  // The checksum is wrong.
  return Buffer.concat([length, latin1(type), data, Buffer.alloc(4)]);
}
function png(width: number, height: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

const SVG = 'xmlns="http://www.w3.org/2000/svg"';
const image = (content: string, attributes = 'width="8" height="8"') => `<svg ${SVG} ${attributes}>${content}</svg>`;

const IMAGES: Content[] = [
  ...named('png', [
    ...['', SIGNATURE, png(0, 0, Buffer.alloc(1)), png(1, 1, Buffer.alloc(4)), png(65_535, 65_535, Buffer.alloc(16))],
    ...[png(2 ** 31 - 1, 2 ** 31 - 1, Buffer.alloc(1)), png(4, 4, Buffer.alloc(10_000_000)), Buffer.alloc(1000)],
  ]),
  ...named('jpg', [
    latin1('\xff\xd8\xff'),
    latin1('\xff\xd8\xff\xe1\xff\xffExif\0\0'),
    latin1(`\xff\xd8${'\xff'.repeat(999)}`),
  ]),
  ...named('gif', ['GIF89a', latin1('GIF89a\xff\xff\xff\xff\xf7\0\0'), 'GIF87a;']),
  ...named('webp', [latin1('RIFF\xff\xff\xff\xffWEBPVP8 '), 'RIFF']),
  ...named('tiff', [latin1('II*\0\x08\0\0\0\xff\xff'), latin1('MM\0*\0\0\0\x08')]),
  ...named('svg', [
    ...[
      '<svg',
      image('<rect'),
      image('', 'width="1e9" height="1e9"'),
      image('', 'width="-1" height="0"'),
      image('', ''),
    ],
    ...[
      image('<image href="http://127.0.0.1:1/a.png" width="8" height="8"/>'),
      image('<image href="file:///etc/passwd"/>'),
    ],
    ...[
      `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${image('<text>&a;</text>')}`,
      image('<script>alert(1)</script>'),
    ],
    ...[
      `<!DOCTYPE a [${'<!ENTITY a "b">'.repeat(9)}]>${image('')}`,
      image('<g>'.repeat(5000)),
      image('<use href="#a" id="a"/>'),
    ],
    ...[
      `<s:svg xmlns:s="http://www.w3.org/2000/svg" width="8" height="8"/>`,
      Buffer.from(`\ufeff${image('')}`, 'utf16le'),
    ],
  ]),
];

const GLTF = (more: object) => JSON.stringify({ asset: { version: '2.0' }, ...more });
const GRAPHICS: Content[] = [
  ...named('gltf', [
    ...[
      '',
      '{',
      '{}',
      '[]',
      GLTF({}),
      GLTF({ buffers: [{ byteLength: -1 }] }),
      GLTF({ buffers: [{ byteLength: 2 ** 53, uri: 'http://127.0.0.1:1/' }] }),
    ],
    ...[
      GLTF({ nodes: [{ children: [0] }] }),
      GLTF({ scene: 99 }),
      '['.repeat(100_000),
      GLTF({ extras: { _bsontype: 'Code' } }),
    ],
  ]),
  ...named('glb', [latin1('glTF\x02\0\0\0\xff\xff\xff\xff'), latin1('glTF\0\0\0\0\0\0\0\0'), Buffer.alloc(12)]),
  ...named('pdf', [
    '%PDF-1.7',
    '%PDF-1.7\n1 0 obj\n<< /Length 99999999999 >>\nstream\n',
    '%PDF-9.9\n%%EOF',
    'trailer << /Root 1 0 R >>',
  ]),
];

/** Any content is stored unchanged, and work on it ends. */
export const FILES: Content[] = [...IMAGES, ...GRAPHICS];

/** A file to import, and whether its rows can be stored unchanged; if not, the run must end as ERROR. */
export interface Import extends Content {
  format: 'csv' | 'jsonl';
  isRefused: boolean;
}

const imports = (format: Import['format'], isRejected: boolean, contents: (string | Buffer)[]): Import[] =>
  named(format, contents).map((content, index) => ({
    ...{ ...content, name: `${isRejected ? 'refused' : 'kept'}-${index}.${format}`, format, isRefused: isRejected },
  }));

export const IMPORTS: Import[] = [
  ...imports('csv', true, [
    ...[
      'a,a\n1,2',
      'a,\n1,2',
      ',b\n1,2',
      latin1('name\ncaf\xe9'),
      latin1('na\xefve\n1'),
      'a,b\n1,2,3',
      'a\n"b',
      'a\n\0',
      '_platform\n1',
    ],
    ...[latin1('a\n\xff\xfe'), 'a;a\n1;2', 'a\ta\n1\t2', '"a","a"\n1,2', latin1('a\n"\x93b\x94"')],
  ]),
  ...imports('csv', false, [
    'a,b\n1,2',
    'a;b\n1;2',
    'a\tb\n1\t2',
    '\ufeffa,b\n1,2',
    'a\r\n"1\r\n2"\r\n',
    '"a"\n"x""y"',
    'a\ncafé',
    'a b\n1',
    'é\n😀',
  ]),
  ...imports('jsonl', true, [
    ...[
      '{"a":1}\n{',
      '{"a":9007199254740993}',
      '{"a":1e999}',
      '{"a":"\\ud800"}',
      '{"a":"\\u0000"}',
      '{"_bsontype":"ObjectId"}',
      '{"__proto__":{}}',
    ],
    ...[latin1('{"a":"caf\xe9"}'), '{"_platform":1}', '1', 'null', '"a"', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`],
  ]),
  ...imports('jsonl', false, [
    '{"a":1}',
    '{"a":1}\n\n{"a":2}\n',
    '{"a":1}\r\n{"a":2}',
    '{"_itemId":"x","_revision":7}',
    '{"constructor":1,"a.b":2,"$c":3}',
    '{"a":"é😀"}',
  ]),
];

/** A form as bytes. A rejected one is a 4xx and stores nothing. */
export interface Form {
  name: string;
  type: string;
  body: Buffer;
  isRefused: boolean;
}

const BOUNDARY = 'edge';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename=';
const part = (head: string, content = 'x') => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

export function formsFor(namespace: string): Form[] {
  const target = part('Content-Disposition: form-data; name="_namespaces"', namespace);
  const withFile = (head: string) => latin1(`${target}${part(head)}${END}`);
  const rejected: [name: string, body: Buffer, type?: string][] = [
    ['nothing', Buffer.alloc(0)],
    ['no boundary in the type', withFile(`${DISPOSITION}"a"`), 'multipart/form-data'],
    ['another boundary', withFile(`${DISPOSITION}"a"`), 'multipart/form-data; boundary=other'],
    ['no end', latin1(`${target}--${BOUNDARY}\r\n${DISPOSITION}"a"\r\n\r\nx`)],
    ['no part with a file', latin1(`${target}${END}`)],
    ['a name in Latin-1', withFile(`${DISPOSITION}"caf\xe9.txt"`)],
    ['a path in the name', withFile(`${DISPOSITION}"../../d.txt"`)],
    ['a name with a NUL', withFile(`${DISPOSITION}"a\0.txt"`)],
    ['an overlong name', withFile(`${DISPOSITION}"${'a'.repeat(5000)}"`)],
    [
      'a field in Latin-1',
      latin1(
        `${target}${part('Content-Disposition: form-data; name="_tags"', 'caf\xe9')}${part(`${DISPOSITION}"a"`)}${END}`,
      ),
    ],
    [
      'a file in a part of another name',
      latin1(`${target}${part('Content-Disposition: form-data; name="data"; filename="a"')}${END}`),
    ],
    ['a part without a name', withFile('Content-Disposition: form-data; filename="a"')],
    ['a part without headers', latin1(`${target}--${BOUNDARY}\r\n\r\nx\r\n${END}`)],
    ['headers without end', latin1(`--${BOUNDARY}\r\n${'X: y\r\n'.repeat(5000)}`)],
    ['a header that is too long', withFile(`${DISPOSITION}"a"\r\nX: ${'y'.repeat(100_000)}`)],
    ['thousands of fields', latin1(`${part('Content-Disposition: form-data; name="a"').repeat(5000)}${END}`)],
    [
      'a field that is too long',
      latin1(`${part('Content-Disposition: form-data; name="_tags"', 'y'.repeat(2_000_000))}${END}`),
    ],
    ['urlencoded', latin1('file=x'), 'application/x-www-form-urlencoded'],
    ['JSON', latin1('{"file":"x"}'), 'application/json'],
    ['a broken type', withFile(`${DISPOSITION}"a"`), 'multipart/form-data; boundary="'],
  ];
  const kept: [name: string, body: Buffer][] = [
    ['a part without a type', withFile(`${DISPOSITION}"a.csv"`)],
    ['a type with parameters', withFile(`${DISPOSITION}"b.csv"\r\nContent-Type: text/csv; charset=windows-1252`)],
    ['a type in capitals', withFile(`${DISPOSITION}"c.png"\r\nContent-Type: IMAGE/PNG`)],
    ['an extended name', withFile(`Content-Disposition: form-data; name="file"; filename*=UTF-8''caf%C3%A9.txt`)],
    ['an empty file', latin1(`${target}${part(`${DISPOSITION}"e.txt"`, '')}${END}`)],
    [
      'unknown fields',
      latin1(
        `${target}${part('Content-Disposition: form-data; name="__proto__"')}${part(`${DISPOSITION}"f.txt"`)}${END}`,
      ),
    ],
  ];
  return [
    ...rejected.map(([name, body, type = TYPE]) => ({ name, body, type, isRefused: true })),
    ...kept.map(([name, body]) => ({ name, body, type: TYPE, isRefused: false })),
  ];
}
