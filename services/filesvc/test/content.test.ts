import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { multipartRanges } from '../src/content/ranges.http.js';
import { app, client, folder, olga } from './app.js';
import { FILES, NS } from './start-app.js';

const text = '0123456789';
const content = randomBytes(3_000_000);
const id: string = (await olga.upload('Plan "ü".txt', text).expect(201)).body[0]._id;
const large = olga.upload('drawing.pdf', content).set('content-encoding', 'x-own');
const big: string = (await large.expect(201)).body[0]._id;

const get = (headers: Record<string, string> = {}) => olga.get(`/${id}/content`).set(headers);
const getRange = (condition: string) => get({ range: 'bytes=0-1', 'if-range': condition });
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
    expect((await getRange(etag).expect(206)).text).toBe('01');
    for (const other of ['"other"', `W/${etag}`]) expect((await getRange(other).expect(200)).text).toBe(text);
  });

  it('evaluates dates once no other content can have the same date', async () => {
    const date = await eventually(async () => {
      const { 'last-modified': sent } = (await get().expect(200)).headers;
      if (sent === undefined) throw new Error('the content may still change within the same second');
      return sent;
    });
    const [earlier, later] = [-1000, 1000].map((ms) => new Date(Date.parse(date) + ms).toUTCString());
    expect((await getRange(date).expect(206)).text).toBe('01');
    for (const other of [earlier!, later!, 'yesterday', '0']) await getRange(other).expect(200);
    const unmodified = await get({ 'if-modified-since': date }).expect(304);
    expect(unmodified.headers).toMatchObject({ etag, 'last-modified': date });
    for (const other of [earlier!, 'yesterday']) await get({ 'if-modified-since': other }).expect(200);
    await get({ 'if-modified-since': date, 'if-none-match': '"other"' }).expect(200);
    await get({ 'if-unmodified-since': date }).expect(200);
    await get({ 'if-unmodified-since': earlier! }).expect(412);
    await get({ 'if-unmodified-since': earlier!, 'if-match': etag }).expect(200);

    // The date is that of the content, not of the file.
    const { _name } = (await olga.get(`/${id}`)).body;
    for (const name of ['renamed.txt', _name]) await olga.put(id, { _name: name, _tags: [name] }).expect(200);
    expect((await get().expect(200)).headers['last-modified']).toBe(date);
    // A version that becomes the tip again counts as new content.
    const second = (await olga.upload(_name, 'second').expect(201)).body[0]._tipId;
    await olga.remove(`${id}/versions/${second}`).expect(204);
    expect((await get({ 'if-modified-since': later! }).expect(200)).headers.etag).toBe(etag);
    const ofVersion = await olga.get(`/${id}/versions/${etag.slice(1, -1)}/content`).expect(200);
    expect(ofVersion.headers['last-modified']).toBe(date);
  });

  it('is a 404 for folders and incomplete files', async () => {
    for (const each of [await folder('no content'), await client.begin('unfinished', 5)])
      await olga.get(`/${each}/content`).expect(404);
  });

  it('returns several ranges as one multipart body, in the order of the request', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${app.url}${FILES}/${big}/content?nsfilter=${NS}`, { headers: { authorization: app.olga, ...headers } });
    const response = await send({ range: 'bytes=2000000-2500000, 0-9, -5' });
    const { 'content-type': type, ...headers } = Object.fromEntries(response.headers);
    const [, boundary] = /^multipart\/byteranges; boundary=(\S+)$/.exec(type!)!;
    const size = content.length;
    const parts = [
      [2_000_000, 2_500_000],
      [0, 9],
      [size - 5, size - 1],
    ].flatMap(([first, last]) => [
      `\r\n--${boundary}\r\nContent-Type: application/pdf\r\nContent-Encoding: x-own\r\n`,
      `Content-Range: bytes ${first}-${last}/${size}\r\n\r\n`,
      content.subarray(first, last! + 1),
    ]);
    // RFC 2046, section 5.1.1.
    const expected = Buffer.concat([...parts, `\r\n--${boundary}--\r\n`].map((part) => Buffer.from(part as string)));
    expect(response.status).toBe(206);
    expect(Buffer.from(await response.arrayBuffer()).equals(expected)).toBe(true);
    expect(headers).toMatchObject({
      'content-length': String(expected.length),
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'content-disposition': expect.stringContaining('attachment'),
    });
    for (const ofOneRange of ['content-range', 'content-encoding']) expect(headers).not.toHaveProperty(ofOneRange);
    const whole = await send({ range: 'bytes=0-3,10-19', 'if-range': '"other"' });
    expect(whole.status).toBe(200);
    await whole.body!.cancel();
  });

  it.each([0, 1, 2])('of several ranges ends its read of the store when it ends after %d chunks', async (chunks) => {
    const endless = new Readable({ read: () => void endless.push(text) });
    const open = async () => ({ stream: endless, length: 10, size: 10 });
    const about = { versionId: '', name: '', size: 10, contentType: 'text/plain', modifiedAt: 0 };
    const ranges = [0, 5].map((start) => ({ start, end: start + 1 }));
    const body = await multipartRanges({ ...about, open }, ranges).open(new AbortController().signal);
    const reading = body[Symbol.asyncIterator]();
    for (let n = 0; n < chunks; n++) await reading.next();
    body.destroy();
    await eventually(() => expect(endless.destroyed).toBe(true));
  });
});
