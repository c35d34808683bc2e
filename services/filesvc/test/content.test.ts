import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

const text = '0123456789';
const content = randomBytes(24 * 1024 * 1024);

const app = await startApp();
const olga = requests(app, app.olga);
const id: string = (await olga.upload('Plan "ü".txt', text).expect(201)).body[0]._id;
const large = olga.upload('drawing.pdf', content).set('content-encoding', 'x-own');
const big: string = (await large.expect(201)).body[0]._id;
afterAll(() => app.stop());

const get = (headers: Record<string, string> = {}, file = id) =>
  app.api
    .get(`${FILES}/${file}/content`)
    .query({ nsfilter: NS })
    .set({ authorization: app.olga, ...headers });
const getBytes = (file: string, headers: Record<string, string>) =>
  get(headers, file)
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => done(null, Buffer.concat(chunks)));
    });
const etag = (await get()).headers.etag!;

describe('a download', () => {
  it('returns the uploaded bytes as an attachment', async () => {
    const { text: body, headers } = await get().expect(200);
    expect(body).toBe(text);
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="Plan ___.txt"; filename*=UTF-8''Plan%20%22%C3%BC%22.txt`,
    });
  });

  it('returns a range with 206, and 416 with the size for one beyond the end', async () => {
    const { text: body, headers } = await get({ range: 'bytes=4-' }).expect(206);
    expect(body).toBe('456789');
    expect(headers).toMatchObject({ 'content-range': 'bytes 4-9/10', 'content-length': '6' });
    expect((await get({ range: 'bytes=10-' }).expect(416)).headers['content-range']).toBe('bytes */10');
    expect((await get({ range: 'bytes=5-2' }).expect(200)).text).toBe(text);
  });

  it('ignores ranges in HEAD', async () => {
    const { headers } = await app.api
      .head(`${FILES}/${id}/content`)
      .query({ nsfilter: NS })
      .set({ authorization: app.olga, range: 'bytes=0-1' })
      .expect(200);
    expect(headers).toMatchObject({ 'content-length': '10', 'accept-ranges': 'bytes', etag });
  });

  it('evaluates If-Match, If-None-Match and If-Range by version', async () => {
    await get({ 'if-none-match': etag }).expect(304);
    await get({ 'if-none-match': '"other", *' }).expect(304);
    await get({ 'if-none-match': `W/${etag}`, range: 'bytes=0-1' }).expect(304);
    await get({ 'if-match': '"other"' }).expect(412);
    await get({ 'if-match': `W/${etag}` }).expect(412);
    await get({ 'if-match': `"other", ${etag}` }).expect(200);
    expect((await get({ range: 'bytes=0-1', 'if-range': etag }).expect(206)).text).toBe('01');
    expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' }).expect(200)).text).toBe(text);
    expect((await get({ range: 'bytes=0-1', 'if-range': `W/${etag}` }).expect(200)).text).toBe(text);
  });

  it('evaluates dates once no other content can have the same date', async () => {
    const date = await eventually(async () => {
      const { 'last-modified': sent } = (await get().expect(200)).headers;
      if (sent === undefined) throw new Error('the content may still change within the same second');
      return sent;
    });
    const [earlier, later] = [-1000, 1000].map((ms) => new Date(Date.parse(date) + ms).toUTCString());
    expect((await get({ range: 'bytes=0-1', 'if-range': date }).expect(206)).text).toBe('01');
    for (const other of [earlier!, later!, 'yesterday', '0']) {
      expect((await get({ range: 'bytes=0-1', 'if-range': other }).expect(200)).text).toBe(text);
    }
    expect((await get({ 'if-modified-since': date }).expect(304)).headers).toMatchObject({
      etag,
      'last-modified': date,
    });
    await get({ 'if-modified-since': earlier! }).expect(200);
    await get({ 'if-modified-since': 'yesterday' }).expect(200);
    await get({ 'if-modified-since': date, 'if-none-match': '"other"' }).expect(200);
    await get({ 'if-unmodified-since': date }).expect(200);
    await get({ 'if-unmodified-since': earlier! }).expect(412);
    await get({ 'if-unmodified-since': earlier!, 'if-match': etag }).expect(200);

    // The date is that of the content, not of the file.
    const { _name } = (await olga.get(`/${id}`)).body;
    for (const name of ['renamed.txt', _name]) await olga.put(id, { _name: name, _tags: [name] }).expect(200);
    expect((await get().expect(200)).headers['last-modified']).toBe(date);
    await get({ 'if-modified-since': date }).expect(304);
    await get({ range: 'bytes=0-1', 'if-range': date }).expect(206);
    // A version that becomes the tip again is other content than before.
    const second = (await olga.upload(_name, 'second').expect(201)).body[0]._tipId;
    await olga.remove(`${id}/versions/${second}`).expect(204);
    expect((await get({ 'if-modified-since': later! }).expect(200)).headers.etag).toBe(etag);
    const ofVersion = await olga.get(`/${id}/versions/${etag.slice(1, -1)}/content`).expect(200);
    expect(ofVersion.headers['last-modified']).toBe(date);
  });

  it('is a 404 for folders and incomplete files', async () => {
    await get({}, (await olga.folder('no content')).body._id).expect(404);
    await get({}, await uploadClient(app, app.olga).begin('unfinished', 5)).expect(404);
  });

  it('returns several ranges as one multipart body, in the order of the request', async () => {
    const response = await getBytes(big, { range: 'bytes=2000000-2500000, 0-9, -5' }).expect(206);
    expect(response.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' });
    expect(response.headers['content-disposition']).toContain('attachment');
    expect(response.headers['content-range']).toBeUndefined();
    const parts = partsOf(response);
    expect(parts.map(({ headers }) => headers)).toEqual(
      ['2000000-2500000', '0-9', `${content.length - 5}-${content.length - 1}`].map((range) => ({
        'content-type': 'application/pdf',
        'content-encoding': 'x-own',
        'content-range': `bytes ${range}/${content.length}`,
      })),
    );
    expect(response.headers['content-encoding']).toBeUndefined();
    const expected = [content.subarray(2_000_000, 2_500_001), content.subarray(0, 10), content.subarray(-5)];
    expect(parts.map(({ bytes }, n) => bytes.equals(expected[n]!))).toEqual([true, true, true]);
    await getBytes(big, { range: 'bytes=0-3,10-19', 'if-range': '"other"' }).expect(200);
  });

  it.each(['bytes=0-', 'bytes=0-9000000,10000000-20000000'])(
    'stops reading %s when the caller disconnects, and serves others',
    async (range) => {
      const headers = { authorization: app.olga, range };
      for (let n = 0; n < 3; n++) {
        await new Promise<void>((resolve) => {
          const req = request(`${app.url}${FILES}/${big}/content?nsfilter=${NS}`, { headers }, (res) => {
            res.once('data', () => req.destroy());
            res.once('close', resolve);
            res.on('error', () => undefined);
          });
          req.on('error', () => undefined);
          req.end();
        });
      }
      expect((await get().expect(200)).text).toBe(text);
    },
  );
});

interface Part {
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Reads a multipart body (RFC 2046, section 5.1.1) by its boundary and the range of each part. */
function partsOf(response: { headers: Record<string, string>; body: Buffer }): Part[] {
  const [, boundary] = /^multipart\/byteranges; boundary=(\S+)$/.exec(response.headers['content-type']!) ?? [];
  expect(response.headers['content-length']).toBe(String(response.body.length));
  const parts: Part[] = [];
  const opening = Buffer.from(`\r\n--${boundary}\r\n`);
  let at = 0;
  while (response.body.subarray(at, at + opening.length).equals(opening)) {
    const start = response.body.indexOf('\r\n\r\n', at + opening.length);
    const head = response.body
      .subarray(at + opening.length, start)
      .toString()
      .split('\r\n');
    const headers = Object.fromEntries(head.map((line) => line.toLowerCase().split(': ') as [string, string]));
    const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range']!)!;
    at = start + 4 + Number(last) - Number(first) + 1;
    parts.push({ headers, bytes: response.body.subarray(start + 4, at) });
  }
  expect(response.body.subarray(at).toString()).toBe(`\r\n--${boundary}--\r\n`);
  return parts;
}
