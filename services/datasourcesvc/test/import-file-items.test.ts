import { afterAll, describe, expect, it } from '@jest/globals';
import { readRows } from '../src/components/file-rows.js';
import type { RowFormat } from '../src/components/file-rows.js';
import type { Call } from './other-services.js';
import { startAppWithOthers, step } from './start-app.js';

const CONTENT = '/filesvc/api/v1/files/file-1/content?nsfilter=tower_1';
const BULK = '/itemsvc/api/v1/nameduseritems/doors/relateditems/bulk?nsfilter=tower_1&transactional=true';
type Rows = Record<string, unknown>[];
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

const readAll = async (content: AsyncIterable<Buffer>, format: RowFormat) => {
  const rows = [];
  for await (const row of readRows(content, format)) rows.push(row);
  return rows;
};
const inOnePiece = async function* (content: string | Buffer) {
  yield Buffer.from(content as string);
};
const byteByByte = async function* (content: string) {
  for (const byte of Buffer.from(content)) yield Buffer.of(byte);
};

describe('the rows of a file', () => {
  it.each<[string, RowFormat['format'], string, Rows]>([
    ['a JSON array', 'json', ' [{"a":"a","b":{"w":1}},\n{"a":"é"}]', [{ a: 'a', b: { w: 1 } }, { a: 'é' }]],
    ['JSON lines', 'json', '{"name":"a"}\n\n{"name":"b"}\n', [{ name: 'a' }, { name: 'b' }]],
    ['JSON lines by their name', 'jsonl', '\ufeff{"name":"a"}', [{ name: 'a' }]],
    ['CSV', 'csv', '\ufeffa,é\na,"x,\n""y"""\n\n', [{ a: 'a', é: 'x,\n"y"' }]],
    ['semicolons', 'csv', '"a,b";c, d;e\n1;"2;5";\n', [{ 'a,b': '1', 'c, d': '2;5', e: '' }]],
    ['tabs', 'csv', '\r\na\tb\r\n1\t\r\n', [{ a: '1', b: '' }]],
    ['one column', 'csv', 'a\n"x;y"\n\ufeff\n', [{ a: 'x;y' }, { a: '\ufeff' }]],
    ['rows without separators', 'json', '\ufeff\n{"a":"}\\"{"}{"b":[{}]}\n', [{ a: '}"{' }, { b: [{}] }]],
    ['an empty array', 'json', '[]', []],
    ['nothing', 'json', '', []],
    ['nothing as CSV', 'csv', '', []],
  ])('are those of %s, in one piece or byte by byte', async (_what, format, content, rows) => {
    for (const pieces of [inOnePiece, byteByByte]) expect(await readAll(pieces(content), { format })).toEqual(rows);
  });

  it.each<[string, RowFormat['format'], string | Buffer, string | RegExp]>([
    ['is not JSON', 'json', '[{"a":1},{"a":}]', 'Row 2 of the file is not valid JSON.'],
    ['ends in a row', 'json', '{"a":1}\n{"a', 'Row 2 of the file is not valid JSON.'],
    ['ends in an array', 'json', '[{"a":1},', 'Row 2 of the file is not valid JSON.'],
    ['goes on after an array', 'json', '[{"a":1}]{}', 'Row 2 of the file is not valid JSON.'],
    ['has text between rows', 'jsonl', '{"a":1},\n{"a":2}', 'Row 2 of the file is not valid JSON.'],
    ['has a number as a row', 'json', '[{"a":1},7]', 'Row 2 of the file is not an object.'],
    ['has a row that is too large', 'json', `[{},{"a":"${'x'.repeat(2e6)}"}]`, /^Row 2 .* larger than 1 MiB\.$/],
    ['has a record that is too large', 'csv', `a\n1\n${'x'.repeat(2_000_000)}`, /^Row 2 .* larger than 1 MiB\.$/],
    ['has a short record', 'csv', 'a,b\n1,2\n3\n', 'Row 2 of the file does not have as many fields as the header.'],
    ['has a long record', 'csv', 'a,b\n1,2\n3,4,5\n', 'Row 2 of the file does not have as many fields as the header.'],
    ['has an open quote', 'csv', 'a,b\n1,2\n"3', 'Row 2 of the file is not CSV.'],
    ['has an open quote in its header', 'csv', 'a,"b\n1,2\n', 'The header of the file is not CSV.'],
    ['repeats a column', 'csv', 'a, a\n1,2\n', /^The header .*: column 2 has the name of another column\.$/],
    ['ends its header with a separator', 'csv', 'a;b; \n1;2;\n', /^The header .*: column 3 has no name\.$/],
    ['has a reserved name', 'csv', 'a,_bsontype\n1,2\n', /^The header .*: column 2 has a reserved name\.$/],
    ['has a reserved key', 'jsonl', '{}\n{"a":{"_bsontype":1}}', /^Row 2 .* has a field with a reserved name: a/],
    ['has a number that changes', 'jsonl', '{}\n{"n":9007199254740993}', /^Row 2 of the file has a number .*: n\.$/],
    ['has NUL in CSV', 'csv', 'a\n1\n\0\n', /^Row 2 of the file .*: column 1 contains the character NUL\.$/],
    ['has two fields with the same name', 'jsonl', '{}\n{"a":1,"a":2}', /^Row 2 .* two fields with the same name/],
    ['is in Windows-1252', 'jsonl', latin1('{}\n{"a":"caf\xe9"}\n{}'), 'Row 2 of the file is not valid UTF-8.'],
    ['is CSV in Windows-1252', 'csv', latin1('a;b\n1;2\n3;\x80\n'), /^Row 2 .*: column 2 is not valid UTF-8\.$/],
    ['has Latin-1 in its header', 'csv', latin1('a,caf\xe9\n1,2\n'), /^The header .*: column 2 is not valid UTF-8\.$/],
    ['is in UTF-16', 'csv', utf16('\ufeffa,b\n1,2\n'), 'The file is in UTF-16; only UTF-8 can be imported.'],
    ['is in UTF-16 without a mark', 'csv', utf16('a,b\n1,2\n'), /^The header .* NUL\.$/],
    ['is JSON in UTF-16', 'json', utf16('\ufeff[{}]').swap16(), /UTF-16/],
  ])('are rejected when it %s', async (_what, format, content, message) => {
    await expect(readAll(inOnePiece(content), { format })).rejects.toThrow(message);
  });
});

const app = await startAppWithOthers();
const { others, owner } = app;
afterAll(() => app.stop());

describe('the component import_file_items', () => {
  let keys: Map<string, string>;
  let stored: Rows;

  const create = (params: object = {}, more: object = { instant: true }) => {
    const tasks = [step('import_file_items', { fileId: 'file-1', collectionId: 'doors', ...params })];
    return app.create(owner, tasks, more);
  };
  const run = async (params?: object) => app.run(owner, (await create(params)).id);
  const failureOf = async (params?: object) => {
    const { _status, orchrunsteps } = await run(params);
    expect(_status).toBe('ERROR');
    return orchrunsteps[0]._statusmsg;
  };

  type Reject = (call: Call) => [number, object?] | undefined;
  /** filesvc has this content; itemsvc adds rows once per key, unless `reject` responds. */
  function withFile(content: string, headers: object = {}, reject?: Reject) {
    keys = new Map();
    stored = [];
    others.answerWith((call, res) => {
      if (call.method === 'GET') {
        res.writeHead(200, { 'content-length': Buffer.byteLength(content), ...headers }).end(content);
        return true;
      }
      const [status, body] = reject?.(call) ?? add(call);
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
      return true;
    });
  }
  const keyOf = ({ headers }: Call) => String(headers['idempotency-key']);
  const isSecondBatch = (call: Call) => keyOf(call).endsWith('-1');
  function add(call: Call): [number, object?] {
    const [key, text] = [keyOf(call), JSON.stringify(call.body)];
    const before = keys.get(key);
    if (before !== undefined && before !== text)
      return [400, { message: 'The idempotency key was already used with different input.' }];
    if (before === undefined) stored.push(...(call.body as Rows));
    keys.set(key, text);
    return [201, { _list: [] }];
  }

  it('imports a file with the permissions of the run', async () => {
    withFile('a,b;c,d\n1,2;3,4\n');
    const format = { format: 'csv', separator: ';' };
    expect(await run(format)).toMatchObject({ _status: 'COMPLETED', _result: { imported: 1 } });
    expect(stored).toEqual([{ 'a,b': '1,2', 'c,d': '3,4' }]);
    expect(others.calls.map(({ url }) => url)).toEqual([CONTENT, BULK]);
    for (const { authorization } of others.calls) expect(authorization).toMatch(/^Bearer token-\d+-of-olga$/);
    await expect(create({ separator: ';' })).rejects.toThrow();
    withFile('[{},7]');
    expect(await failureOf()).toBe('Row 2 of the file is not an object.');
  });

  it('sends batches bounded by number and size of rows', async () => {
    const small = Array.from({ length: 1201 }, (_, n) => ({ n }));
    withFile(JSON.stringify(small));
    expect(await run()).toMatchObject({ _result: { imported: 1201 } });
    const sizes = () => others.calls.slice(1).map(({ body }) => (body as Rows).length);
    expect(sizes()).toEqual([500, 500, 201]);
    expect(stored).toEqual(small);
    const large = Array.from({ length: 7 }, (_, n) => ({ n, text: 'x'.repeat(300_000) }));
    withFile(large.map((row) => JSON.stringify(row)).join('\n'));
    expect(await run()).toMatchObject({ _result: { imported: 7 } });
    expect(sizes()).toEqual([3, 3, 1]);
  });

  it('adds nothing twice when it is repeated', async () => {
    const rows = Array.from({ length: 700 }, (_, n) => ({ n }));
    let isCut = true;
    // The first attempt at the second batch is interrupted.
    withFile(JSON.stringify(rows), {}, (call) => (isCut && isSecondBatch(call) ? [503] : undefined));
    const { id } = await create({}, {});
    const { id: runId } = await app.run(owner, id);
    await app.processRuns();
    expect(stored).toHaveLength(500);
    isCut = false;
    await app.lose(runId);
    await app.processRuns();
    expect(await app.getRun(owner, runId)).toMatchObject({ _status: 'COMPLETED', _result: { imported: 700 } });
    expect(stored).toEqual(rows);
  });

  it('fails when it is repeated and the file has changed', async () => {
    const { id } = await create({}, {});
    const { id: runId } = await app.run(owner, id);
    const rows = Array.from({ length: 501 }, (_, n) => ({ n }));
    withFile(JSON.stringify(rows), {}, (call) => (isSecondBatch(call) ? [503] : undefined));
    await app.processRuns();
    const sent = new Map(keys);
    withFile('[{"n":0}]', {}, (call) => {
      for (const [key, text] of sent) keys.set(key, text);
      return add(call);
    });
    await app.lose(runId);
    await app.processRuns();
    const { orchrunsteps } = await app.getRun(owner, runId);
    expect(orchrunsteps[0]._statusmsg).toBe('The file has changed since the import began.');
    expect(stored).toEqual([]);
  });

  it('waits for batches of an earlier attempt, and continues if their rows cannot be shown again', async () => {
    const responses: [number, object?][] = [[409], [409], [409, { code: 'REPLY_GONE', message: 'Rejected.' }]];
    withFile('[{"n":1}]', {}, () => responses.shift());
    expect(await run()).toMatchObject({ _status: 'COMPLETED', _result: { imported: 1 } });
    expect([responses, stored]).toEqual([[], []]);
  });

  it('names the row that itemsvc rejects', async () => {
    const rows = JSON.stringify(Array.from({ length: 600 }, (_, n) => ({ n })));
    const errors = [{ location: 'body.17._fileId', message: 'must be an existing file' }];
    const missing = { message: 'A file does not exist.', errors };
    withFile(rows, {}, (call) => (isSecondBatch(call) ? [400, missing] : undefined));
    expect(await failureOf()).toBe('Row 518 of the file was rejected. _fileId: must be an existing file');
    withFile(rows, {}, () => [400, { message: 'Items of this class have no related items.' }]);
    expect(await failureOf()).toBe(
      'Rows 1 to 500 of the file were rejected. Items of this class have no related items.',
    );
  });

  it('fails when the file or the collection is missing or the file is compressed', async () => {
    others.answerWith((_call, res) => Boolean(res.writeHead(404).end()));
    expect(await failureOf()).toMatch(/^The file does not exist in the namespace of the run, /);
    withFile('[]', { 'content-encoding': 'gzip' });
    expect(await failureOf()).toBe('The file is compressed; only plain files can be imported.');
    for (const status of [403, 404]) {
      withFile('[{}]', {}, () => [status]);
      expect(await failureOf()).toMatch(/^The collection does not exist in the namespace of the run, /);
    }
  });
});
