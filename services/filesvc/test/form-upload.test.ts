import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually, sendTwice } from '@dtplatform/testing';
import { creator, requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const MIB = 1024 * 1024;
const MAX_FILE_BYTES = 20 * MIB;

const app = await startApp({ MAX_FILE_BYTES: String(MAX_FILE_BYTES) });
const olga = requests(app, app.olga);
const client = uploadClient(app, app.olga);
const { folder } = creator(olga);
afterAll(() => app.stop());
const drafts = app.mongo.db.collection('upload_drafts');
afterEach(() => eventually(async () => expect(await drafts.countDocuments()).toBe(0)));

const tipOf = async (id: string) => (await olga.get(`/${id}`).expect(200)).body._tipVersion as number;
const total = async () => (await olga.get('')).body._total as number;

describe('a form upload', () => {
  const post = (query = {}) =>
    app.api
      .post(FILES)
      .set({ authorization: app.olga })
      .query({ nsfilter: NS, ...query });
  /** A handwritten body. */
  const raw = (body: string | Buffer, contentType = 'multipart/form-data; boundary=b') =>
    post({ _namespaces: NS }).set('content-type', contentType).send(body);
  const part = (headers: string, content = 'x') => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
  const fileAs = (name: string) => part(`Content-Disposition: form-data; name="file"; ${name}`);
  const field = (name: string, value = '') => part(`Content-Disposition: form-data; name="${name}"`, value);
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const A_FILE = fileAs('filename="a"');
  const END = '--b--';

  it('reads fields before and after the file, and in the query', async () => {
    const target = await folder('target');
    const before = post().field('_namespaces', NS).field('_parents', target).attach('file', Buffer.from('1'), '1');
    const after = post().attach('file', Buffer.from('2'), '2').field('_parents', target).field('_namespaces', NS);
    const query = post({ _namespaces: NS, _parents: target, _tags: 'q' }).attach('file', Buffer.from('3'), '3');
    for (const form of [before, after]) expect((await form.expect(201)).body).toMatchObject([{ _parents: [target] }]);
    expect((await query.expect(201)).body).toMatchObject([{ _parents: [target], _tags: ['q'] }]);
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
    const _parents = await folder('versions');
    const upload = async (content: string, fields = {}) =>
      (await olga.upload('v.txt', content, fields).expect(201)).body[0];
    const { _id } = await upload('one', { _parents, _tags: 'keep' });
    expect((await upload('other'))._id).not.toBe(_id);
    const second = await upload('two', { _parents });
    expect(second).toMatchObject({ _id, _tipVersion: 2, _nextVersion: 3, _tags: ['keep'] });
    expect((await client.download(_id)).toString()).toBe('two');
    expect(await upload('three', { _parents, _tags: 'new' })).toMatchObject({ _tipVersion: 3, _tags: ['new'] });
  });

  it('streams a large file in parts, up to the size limit', async () => {
    const content = randomBytes(MAX_FILE_BYTES);
    const { body } = await olga.upload('large.bin', content).expect(201);
    expect(body[0]._fileVersion._fileSize).toBe(content.length);
    expect((await client.download(body[0]._id)).equals(content)).toBe(true);
    const tooLarge = await olga.upload('large.bin', Buffer.alloc(MAX_FILE_BYTES + 1)).expect(413);
    expect(tooLarge.body.code).toBe('FILE_TOO_LARGE');
  });

  it('stores several files of one form, including an empty file', async () => {
    const form = olga.upload('first.txt', 'one').attach('file', Buffer.alloc(0), 'second.txt');
    const { body } = await form.expect(201);
    expect(body.map((file: { _name: string }) => file._name)).toEqual(['first.txt', 'second.txt']);
    expect(await client.download(body[1]._id)).toHaveLength(0);
  });

  it.each([
    ['no-type.csv', '', 'text/csv'],
    ['legacy.csv', '\r\nContent-Type: text/csv; charset=windows-1252', 'text/csv; charset=windows-1252'],
  ])('stores %s, sent with the header %j, as %s', async (name, header, kept) => {
    const [file] = (
      await raw(fileAs(`filename="${name}"${header}`) + END)
        .set('content-encoding', 'x-own')
        .expect(201)
    ).body;
    const head = app.api.head(`${FILES}/${file._id}/content`).query({ nsfilter: NS }).set({ authorization: app.olga });
    expect((await head.expect(200)).headers).toMatchObject({ 'content-type': kept, 'content-encoding': 'x-own' });
    const { body: url } = await olga.get(`/${file._id}/url`).expect(200);
    expect((await fetch(url._url)).headers.get('content-type')).toBe(kept);
  });

  it.each([
    ['filename="Größe 尺.txt"', 'Größe 尺.txt'],
    ["filename*=UTF-8''caf%C3%A9.txt", 'caf\u00e9.txt'],
    ['filename="=?utf-8?B?eA==?="; filename*=utf-8\'\'%e2%82%ac.txt', '\u20ac.txt'],
    ["filename*=iso-8859-1''caf%E9-2.txt", 'caf\u00e9-2.txt'],
    ['filename="\ufffd.txt"', '\ufffd.txt'],
    ['filename="100%E9.txt"', '100%E9.txt'],
  ])('reads the file name in %s', async (sent, name) => {
    expect((await raw(fileAs(sent) + END).expect(201)).body[0]._name).toBe(name);
  });

  it.each([
    ['Multipart/Form-Data; Boundary="b"', 201],
    ['multipart/form-data; charset=utf-8; boundary="\\b"', 201],
    ['multipart/mixed; boundary=b', 400],
  ])('of the type %p is handled with %d', async (type, status) => {
    await raw(fileAs('filename="a-form.txt"') + END, type).expect(status);
  });

  it.each([
    [field('_tags', 'x'.repeat(70_000)), 'FORM_LIMIT', 'fields of at most 65536 bytes.'],
    [field('x'.repeat(101)), 'FORM_LIMIT', 'names of at most 100 bytes.'],
    [field('_tags', 'x').repeat(51), 'FORM_LIMIT', 'at most 50 fields.'],
    [field('a[b][c]', 'x'), 'FORM_LIMIT', 'nested fields.'],
    [A_FILE.repeat(21), 'FORM_LIMIT', 'at most 20 files.'],
    [A_FILE.replace('"file"', '"upload"'), 'NO_FILE', 'Files must be in parts'],
  ])('names the limit that a form exceeds, or the field for files (%#)', async (parts, code, message) => {
    const { body } = await raw(parts + END).expect(400);
    expect(body).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it.each<[string, string | Buffer]>([
    ['whose end is missing', A_FILE],
    ['that ends in the middle of a header', '--b\r\nContent-Disp'],
    ['with a name in UTF-8 that is cut', latin1(fileAs('filename="caf\xc3.txt"') + END)],
    ['with an encoded name that is not UTF-8', fileAs("filename*=utf-8''caf%E9.txt") + END],
    ['with half of a surrogate pair in a name', latin1(fileAs('filename="\xed\xa0\x80.txt"') + END)],
    ['of another namespace', A_FILE + field('_namespaces', 'another') + END],
  ])('%s is rejected, and leaves nothing behind', async (_what, form) => {
    const before = await total();
    expect((await raw(form).expect(400)).body).toMatchObject({ status: 400, code: expect.any(String) });
    expect(await total()).toBe(before);
  });

  it('without a namespace is rejected, and leaves nothing behind', async () => {
    const before = await total();
    await post().attach('file', Buffer.from('x'), 'refused.txt').expect(400);
    expect(await total()).toBe(before);
  });

  it('is rejected while the caller is still sending', async () => {
    const response = await fetch(`${app.url}${FILES}?nsfilter=${NS}&_namespaces=${NS}`, {
      method: 'POST',
      headers: { authorization: app.olga, 'content-type': 'multipart/form-data; boundary=b' },
      body: Buffer.concat([Buffer.from(fileAs('filename="../no"')), Buffer.alloc(32 * MIB)]),
    });
    expect(response.status).toBe(400);
  });
});

describe('an idempotency key', () => {
  const KEY = 'idempotency-key';

  it('makes a folder once', async () => {
    const { body: parent } = await sendTwice(() => olga.folder('plans'));
    const { body: child } = await sendTwice(() => olga.folder('ground floor', { _parents: parent._id }));
    expect((await olga.get(`/${child._id}`).expect(200)).body._parents).toEqual([parent._id]);
  });

  it('uploads a form once: a new file, a new version, several files of one name', async () => {
    for (const version of [1, 2]) {
      const { body } = await sendTwice(() => olga.upload('form.txt', `version ${version}`, { _tags: 'a' }));
      expect(await tipOf(body[0]._id)).toBe(version);
    }
    const large = Buffer.alloc(9 * MIB, 'x');
    const { body } = await sendTwice(() =>
      olga
        .upload('several.txt', 'one')
        .attach('file', large, 'several.bin')
        .attach('file', Buffer.from('two'), 'several.txt'),
    );
    expect(await Promise.all([0, 1, 2].map((n) => tipOf(body[n]._id)))).toEqual([2, 1, 2]);
  });

  it('rejects a form with another name, content, field, query, number of files or encoding', async () => {
    const send = () => olga.upload('same.txt', 'same', { _tags: 'a' });
    const [{ _id }] = (await send().set(KEY, 'same').expect(201)).body;
    for (const other of [
      olga.upload('other.txt', 'same', { _tags: 'a' }),
      olga.upload('same.txt', 'else', { _tags: 'a' }),
      olga.upload('same.txt', 'same', { _tags: 'b' }),
      olga.upload('same.txt', 'same'),
      send().attach('file', Buffer.from('more'), 'more.txt'),
      send().query({ _tags: 'a' }),
      send().set('content-encoding', 'gzip'),
    ])
      expect((await other.set(KEY, 'same').expect(400)).body.message).toMatch(/different input/);
    expect((await send().set(KEY, 'same').expect(201)).headers['idempotency-replayed']).toBe('true');
    expect(await tipOf(_id)).toBe(1);
    const tooLarge = olga.upload('same.txt', 'x'.repeat(MAX_FILE_BYTES + 1)).set(KEY, 'same');
    expect((await tooLarge.expect(413)).body.code).toBe('FILE_TOO_LARGE');
  });

  it('uploads a form once when it is sent concurrently', async () => {
    const send = () => olga.upload('race.txt', 'race').set(KEY, 'race');
    const responses = await Promise.all([send(), send(), send()]);
    for (const { status } of responses) expect([201, 409]).toContain(status);
    const [{ _id }] = (await send().expect(201)).body;
    expect(await tipOf(_id)).toBe(1);
  });

  it('uploads a form again after a failure, and is a 409 once its file is gone', async () => {
    const send = (_namespaces: string) => olga.upload('failed.txt', 'failed', { _namespaces }).set(KEY, 'failed');
    await send('elsewhere').expect(400);
    const [{ _id }] = (await send(NS).expect(201)).body;
    await olga.remove(_id).expect(204);
    await send(NS).expect(409);
  });

  it('works for callers whose permission is on the folder', async () => {
    const _parents = await folder('shared');
    await app.grants.allow('gast', NS, `filesvc:file:${_parents}`, ['*']);
    const guest = requests(app, await app.as('gast'));
    await sendTwice(() => guest.upload('guest.txt', 'guest', { _parents }));
  });

  it('initiates an upload once, and completes one of zero bytes once per version', async () => {
    const { body } = await sendTwice(() => client.initiate('plan.bin', 3));
    await client.patch(body._id, Buffer.from('abc'), { offset: 0 }).expect(200);
    expect((await client.download(body._id)).toString()).toBe('abc');
    for (const _tipVersion of [2, 3]) {
      await sendTwice(() => client.initiate('plan.bin', 0));
      const shown = (await client.get(body._id).expect(200)).body;
      expect(shown).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion });
    }
  });
});
