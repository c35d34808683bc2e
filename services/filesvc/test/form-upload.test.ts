import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { contentTypeOf } from '../src/content/request-bodies.http.js';
import { requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;

const app = await startApp();
const olga = requests(app, app.olga);
const client = uploadClient(app, app.olga);
afterAll(() => app.stop());

describe('a form upload', () => {
  const post = (query = {}) =>
    app.api
      .post(FILES)
      .set({ authorization: app.olga })
      .query({ nsfilter: NS, ...query });
  /** A handwritten body. */
  const raw = (body: string | Buffer, contentType = 'multipart/form-data; boundary=b', query = {}) =>
    post({ _namespaces: NS, ...query })
      .set('content-type', contentType)
      .send(body);
  const part = (headers: string, content: string) => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
  const filePart = (name: string, content = 'hello') =>
    part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/x-test`, content);

  it('returns the stored files', async () => {
    const { body } = await olga.upload('model.ifc', 'ISO-10303-21;', { _tags: 'x,y' }).expect(201);
    expect(body).toMatchObject([
      {
        _name: 'model.ifc',
        _type: 'file',
        _status: 'UPLOAD_COMPLETED',
        _tags: ['x', 'y'],
        _parents: [],
        _tipVersion: 1,
        _nextVersion: 2,
        _previews: [],
        _fileVersion: { _version: 1, _fileSize: 13, _fileId: body[0]._id },
      },
    ]);
    expect((await client.download(body[0]._id)).toString()).toBe('ISO-10303-21;');
  });

  it('reads fields before and after the file, and in the query', async () => {
    const folder = (await olga.folder('target').expect(200)).body._id as string;
    const before = await post()
      .field('_namespaces', NS)
      .field('_parents', folder)
      .attach('file', Buffer.from('1'), '1');
    const after = await post().attach('file', Buffer.from('2'), '2').field('_parents', folder).field('_namespaces', NS);
    const query = await post({ _namespaces: NS, _parents: folder, _tags: 'q' }).attach('file', Buffer.from('3'), '3');
    for (const response of [before, after, query]) {
      expect(response.status).toBe(201);
      expect(response.body[0]._parents).toEqual([folder]);
    }
    expect(query.body[0]._tags).toEqual(['q']);
  });

  it('takes tags with commas from repeated fields, and reports unknown fields', async () => {
    const send = () =>
      post({ _namespaces: NS }).field('_tags', 'north, east').field('_tags', ' plan ').field('tags', 'x');
    const { body, headers } = await send().attach('file', Buffer.from('1'), 'tagged').expect(201);
    expect(body[0]._tags).toEqual(['north, east', 'plan']);
    expect(headers.ignored).toBe('tags');
    const found = await olga.get('', { _tags: ['north, east', 'plan'] }).expect(200);
    expect(found.body._list).toMatchObject([{ _name: 'tagged' }]);
    const strictly = send().set('prefer', 'handling=strict').attach('file', Buffer.from('1'), 'strict');
    expect((await strictly.expect(400)).body.errors).toMatchObject([{ location: 'body.tags' }]);
  });

  it('creates a new version only for the same name in the same folder', async () => {
    const folder = (await olga.folder('versions').expect(200)).body._id as string;
    const first = await olga.upload('v.txt', 'one', { _parents: folder, _tags: 'keep' }).expect(201);
    const elsewhere = await olga.upload('v.txt', 'other').expect(201);
    const second = await olga.upload('v.txt', 'two', { _parents: folder }).expect(201);
    expect(elsewhere.body[0]._id).not.toBe(first.body[0]._id);
    expect(second.body[0]).toMatchObject({ _id: first.body[0]._id, _tipVersion: 2, _nextVersion: 3, _tags: ['keep'] });
    expect((await client.download(first.body[0]._id)).toString()).toBe('two');
    const tagged = await olga.upload('v.txt', 'three', { _parents: folder, _tags: 'new' }).expect(201);
    expect(tagged.body[0]).toMatchObject({ _tipVersion: 3, _tags: ['new'] });
  });

  it('streams a large file in parts', async () => {
    const content = randomBytes(19 * MIB + 7);
    const { body } = await olga.upload('large.bin', content).expect(201);
    expect(body[0]._fileVersion._fileSize).toBe(content.length);
    expect((await client.download(body[0]._id)).equals(content)).toBe(true);
  });

  it('stores several files of one form, including an empty file', async () => {
    const response = await post()
      .field('_namespaces', NS)
      .attach('file', Buffer.from('one'), 'first.txt')
      .attach('file', Buffer.alloc(0), 'second.txt')
      .expect(201);
    expect(response.body.map((file: { _name: string }) => file._name)).toEqual(['first.txt', 'second.txt']);
    expect(await client.download(response.body[1]._id)).toHaveLength(0);
  });

  it.each([
    ['no-type.csv', undefined, 'text/csv'],
    ['no-type.GLB', undefined, 'model/gltf-binary'],
    ['no-type', undefined, 'application/octet-stream'],
    ['empty-type.png', '', 'image/png'],
    ['legacy.csv', 'text/csv; charset=windows-1252', 'text/csv; charset=windows-1252'],
    ['capitals.csv', 'Text/CSV;Charset="UTF-8"; header=present', 'Text/CSV;Charset="UTF-8"; header=present'],
    ['given.csv', 'application/octet-stream', 'application/octet-stream'],
  ])('stores %s, sent with type %p, as %s', async (name, sent, kept) => {
    const type = sent === undefined ? '' : `\r\nContent-Type: ${sent}`;
    const body = part(`Content-Disposition: form-data; name="file"; filename="${name}"${type}`, 'a;b') + '--b--';
    const [file] = (await raw(body).set('content-encoding', 'x-own').expect(201)).body;
    const head = app.api.head(`${FILES}/${file._id}/content`).query({ nsfilter: NS }).set({ authorization: app.olga });
    const { headers } = await head.expect(200);
    expect(headers).toMatchObject({ 'content-type': kept, 'content-encoding': 'x-own' });
    const { body: url } = await olga.get(`/${file._id}/url`).expect(200);
    expect((await fetch(url._url)).headers.get('content-type')).toBe(kept);
  });

  it.each(['text', 'text/', '/csv', 'text/csv/x', 'text csv', 'text/cs\u00e4', `text/${'x'.repeat(300)}`])(
    'rejects the content type %p',
    (type) => {
      expect(() => contentTypeOf('a.csv', type)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );

  it.each([
    ['Multipart/Form-Data; Boundary="b"', 201],
    ['multipart/form-data; charset=utf-8; boundary="\\b"', 201],
    ['multipart/mixed; boundary=b', 400],
  ])('handles the form type %p with %d', async (type, status) => {
    await raw(filePart('a-form.txt') + '--b--', type).expect(status);
  });

  it.each([
    ['a name in ISO-8859-1', 'filename="caf\xe9.txt"'],
    ['a name in UTF-8 that is cut', 'filename="caf\xc3.txt"'],
    ['an encoded name that is not UTF-8', "filename*=utf-8''caf%E9.txt"],
    ['half of a surrogate pair', 'filename="\xed\xa0\x80.txt"'],
  ])('rejects %s', async (_what, name) => {
    const before = (await olga.get('')).body._total as number;
    const head = `Content-Disposition: form-data; name="file"; ${name}`;
    await raw(Buffer.from(part(head, 'x') + '--b--', 'latin1')).expect(400);
    expect((await olga.get('')).body._total).toBe(before);
  });

  const field = (name: string, value = '') => part(`Content-Disposition: form-data; name="${name}"`, value);

  it.each([
    [field('_tags', 'x'.repeat(70_000)), 'FORM_LIMIT', 'The form must have fields of at most 65536 bytes.'],
    [field('x'.repeat(101)), 'FORM_LIMIT', 'The form must have names of fields of at most 100 bytes.'],
    [field('_tags', 'x').repeat(51), 'FORM_LIMIT', 'The form must have at most 50 fields.'],
    [filePart('a.txt').repeat(21), 'FORM_LIMIT', 'The form must have at most 20 files.'],
    [filePart('a.txt').replace('"file"', '"upload"'), 'NO_FILE', 'Files must be in parts'],
  ])('names the limit that a form exceeds, or the field for files (%#)', async (parts, code, message) => {
    const { body } = await raw(`${parts}--b--`).expect(400);
    expect(body).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it.each([
    ['filename="Größe 尺.txt"', 'Größe 尺.txt'],
    ["filename*=UTF-8''caf%C3%A9.txt", 'caf\u00e9.txt'],
    ['filename="=?utf-8?B?eA==?="; filename*=utf-8\'\'%e2%82%ac.txt', '\u20ac.txt'],
    ["filename*=iso-8859-1''caf%E9-2.txt", 'caf\u00e9-2.txt'],
    ['filename="\ufffd.txt"', '\ufffd.txt'],
    ['filename="100%E9.txt"', '100%E9.txt'],
  ])('reads the file name in %s', async (sent, name) => {
    const { body } = await raw(part(`Content-Disposition: form-data; name="file"; ${sent}`, 'x') + '--b--').expect(201);
    expect(body[0]._name).toBe(name);
  });

  it('leaves nothing behind when the end of a form is rejected', async () => {
    const before = (await olga.get('')).body._total as number;
    await post().attach('file', Buffer.from('x'), 'refused.txt').field('_namespaces', 'another').expect(400);
    await post().attach('file', Buffer.from('x'), 'refused.txt').expect(400);
    expect((await olga.get('')).body._total).toBe(before);
    expect(await app.deps.mongo.db.collection('upload_drafts').countDocuments()).toBe(0);
  });

  const malformed: [string, string | Buffer, string?][] = [
    ['no boundary', filePart('a') + '--b--', 'multipart/form-data'],
    ['another boundary', filePart('a') + '--b--', 'multipart/form-data; boundary=other'],
    ['no end', filePart('a')],
    ['an end in the middle of a header', '--b\r\nContent-Disp'],
    ['no part at all', '--b--'],
    ['no body', ''],
    ['no file', field('_tags', 'x') + '--b--'],
    ['a path as a name', filePart('../../etc/passwd') + '--b--'],
    ['a backslash in a name', filePart('a\\\\b') + '--b--'],
    ['a line break in a name', filePart('a%0Ab') + '--b--'],
    ['a name of 256 characters', filePart('n'.repeat(256)) + '--b--'],
    ['a nested field', field('a[b][c]', 'x') + '--b--'],
    ['a field that is not UTF-8', Buffer.from(field('_tags', 'caf\xe9') + filePart('a') + '--b--', 'latin1')],
    ['bytes that are not a form', randomBytes(1000)],
  ];
  it.each(malformed.map(([what, ...form]) => ({ what, form })))('rejects a form with $what', async ({ form }) => {
    const response = await raw(...form);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ status: 400, code: expect.any(String) });
  });

  it('rejects a file above the size limit', async () => {
    const small = await app.startInstance({ MAX_FILE_BYTES: '1000' });
    const response = await requests(small, app.olga).upload('big.bin', Buffer.alloc(2000));
    expect(response.status).toBe(413);
    expect((await requests(small, app.olga).upload('ok.bin', Buffer.alloc(1000))).status).toBe(201);
  });

  it('rejects a form while the caller is still sending', async () => {
    const body = Buffer.concat([Buffer.from(filePart('../no')), Buffer.alloc(32 * MIB)]);
    const response = await fetch(`${app.url}${FILES}?nsfilter=${NS}&_namespaces=${NS}`, {
      method: 'POST',
      headers: { authorization: app.olga, 'content-type': 'multipart/form-data; boundary=b' },
      body,
    });
    expect(response.status).toBe(400);
  });
});
