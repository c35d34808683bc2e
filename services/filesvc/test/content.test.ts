import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { uploadClient } from './upload-client.js';

describe('download', () => {
  let app: TestApp;
  let id: string;
  let etag: string;
  const text = '0123456789';

  const get = (headers: Record<string, string> = {}, file = id) =>
    app.api
      .get(`${FILES}/${file}/content`)
      .query({ nsfilter: NS })
      .set({ authorization: app.olga, ...headers });

  beforeAll(async () => {
    app = await startApp();
    const olga = requests(app, app.olga);
    id = (await olga.upload('Plan "ü".txt', text).expect(201)).body[0]._id;
    etag = (await get()).headers.etag!;
  });
  afterAll(() => app.stop());

  it('returns the bytes as they were uploaded, as an attachment', async () => {
    const { text: body, headers } = await get().expect(200);
    expect(body).toBe(text);
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="Plan ____.txt"; filename*=UTF-8''Plan%20%22%C3%BC%22.txt`.replace(
        '____',
        '___',
      ),
    });
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=9-100', '9', 'bytes 9-9/10'],
    ['bytes=-100', text, 'bytes 0-9/10'],
    ['BYTES=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=0-3,2-5', '012345', 'bytes 0-5/10'],
    ['bytes=0-3,4-5', '012345', 'bytes 0-5/10'],
    ['bytes=0-3, 12-15', '0123', 'bytes 0-3/10'],
    ['bytes=0-0,-100', text, 'bytes 0-9/10'],
    [`bytes=0-${'9'.repeat(400)}`, text, 'bytes 0-9/10'],
  ])('returns the range %s', async (range, expected, contentRange) => {
    const reply = await get({ range }).expect(206);
    expect(reply.text).toBe(expected);
    expect(reply.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(expected.length),
    });
  });

  it.each(['bytes=10-', 'bytes=-0', 'bytes=100-200', 'bytes=10-, 20-30,-0'])('rejects the range %s', async (range) => {
    const reply = await get({ range }).expect(416);
    expect(reply.headers['content-range']).toBe('bytes */10');
  });

  it.each(['bytes=5-2', 'lines=1-2', 'bytes=', 'bytes=,', 'bytes=a-b', 'bytes=0-1,5-2', 'bytes=0-1,x', 'bytes=0-0-0'])(
    'returns the whole content for %p',
    async (range) => {
      expect((await get({ range }).expect(200)).text).toBe(text);
    },
  );

  it('ignores the range of a HEAD, which only GET has', async () => {
    const { headers } = await app.api
      .head(`${FILES}/${id}/content`)
      .query({ nsfilter: NS })
      .set({ authorization: app.olga, range: 'bytes=0-1' })
      .expect(200);
    expect(headers).toMatchObject({ 'content-length': '10', 'accept-ranges': 'bytes', etag });
  });

  it('answers 304 to a caller that has the version, and never mixes versions', async () => {
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

  it('takes dates as conditions once no other content can have the same date', async () => {
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
    const olga = requests(app, app.olga);
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

  it('is a 404 for a folder and for an incomplete file', async () => {
    const olga = requests(app, app.olga);
    await get({}, (await olga.folder('no content')).body._id).expect(404);
    await get({}, await uploadClient(app, app.olga).begin('unfinished', 5)).expect(404);
  });

  it('stops reading when the caller disconnects', async () => {
    const olga = requests(app, app.olga);
    const big = (await olga.upload('big.bin', randomBytes(24 * 1024 * 1024))).body[0]._id as string;
    for (let n = 0; n < 3; n++) {
      await new Promise<void>((resolve) => {
        const req = request(
          `${app.url}${FILES}/${big}/content?nsfilter=${NS}`,
          { headers: { authorization: app.olga } },
          (res) => {
            res.once('data', () => req.destroy());
            res.once('close', resolve);
            res.on('error', () => undefined);
          },
        );
        req.on('error', () => undefined);
        req.end();
      });
    }
    expect((await get().expect(200)).text).toBe(text);
  });
});

interface Part {
  headers: Record<string, string>;
  bytes: Buffer;
}

/** RFC 9110, section 14.6. */
describe('download of several ranges', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  let id: string;
  const content = randomBytes(3_000_000);

  const get = (range: string, headers: Record<string, string> = {}) =>
    app.api
      .get(`${FILES}/${id}/content`)
      .query({ nsfilter: NS })
      .set({ authorization: app.olga, range, ...headers })
      .buffer(true)
      .parse((res, done) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => done(null, Buffer.concat(chunks)));
      });

  /** Reads a multipart body (RFC 2046, section 5.1.1) by its boundary and the range of each part. */
  const partsOf = (reply: { headers: Record<string, string>; body: Buffer }): Part[] => {
    const [, boundary] = /^multipart\/byteranges; boundary=(\S+)$/.exec(reply.headers['content-type']!) ?? [];
    expect(reply.headers['content-length']).toBe(String(reply.body.length));
    const parts: Part[] = [];
    const opening = Buffer.from(`\r\n--${boundary}\r\n`);
    let at = 0;
    while (reply.body.subarray(at, at + opening.length).equals(opening)) {
      const start = reply.body.indexOf('\r\n\r\n', at + opening.length);
      const head = reply.body
        .subarray(at + opening.length, start)
        .toString()
        .split('\r\n');
      const headers = Object.fromEntries(head.map((line) => line.toLowerCase().split(': ') as [string, string]));
      const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range']!)!;
      at = start + 4 + Number(last) - Number(first) + 1;
      parts.push({ headers, bytes: reply.body.subarray(start + 4, at) });
    }
    expect(reply.body.subarray(at).toString()).toBe(`\r\n--${boundary}--\r\n`);
    return parts;
  };

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
    id = (await olga.upload('drawing.pdf', content).expect(201)).body[0]._id;
  });
  afterAll(() => app.stop());

  it('returns them as one multipart body, in the order of the request', async () => {
    const reply = await get('bytes=2000000-2500000, 0-9, -5').expect(206);
    expect(reply.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' });
    expect(reply.headers['content-disposition']).toContain('attachment');
    expect(reply.headers['content-range']).toBeUndefined();
    const parts = partsOf(reply);
    expect(parts.map(({ headers }) => headers)).toEqual(
      ['2000000-2500000', '0-9', '2999995-2999999'].map((range) => ({
        'content-type': 'application/pdf',
        'content-range': `bytes ${range}/3000000`,
      })),
    );
    const expected = [content.subarray(2_000_000, 2_500_001), content.subarray(0, 10), content.subarray(-5)];
    expect(parts.map(({ bytes }, n) => bytes.equals(expected[n]!))).toEqual([true, true, true]);
  });

  it('leaves out ranges behind the end and joins those that overlap or touch', async () => {
    const parts = partsOf(await get('bytes=0-3,100-199,4-9,5000000-,150-249').expect(206));
    expect(parts.map(({ headers }) => headers['content-range'])).toEqual([
      'bytes 0-9/3000000',
      'bytes 100-249/3000000',
    ]);
    expect(parts[1]!.bytes.equals(content.subarray(100, 250))).toBe(true);
  });

  it('returns the whole content for many ranges', async () => {
    const ranges = (count: number) => `bytes=${Array.from({ length: count }, (_, n) => `${n * 10}-${n * 10}`).join()}`;
    expect(partsOf(await get(ranges(16)).expect(206))).toHaveLength(16);
    const whole = await get(ranges(17)).expect(200);
    expect((whole.body as Buffer).equals(content)).toBe(true);
    // Joined, they are few.
    await get(`bytes=${Array.from({ length: 1000 }, (_, n) => `${n}-${n}`).join()}`).expect(
      206,
      content.subarray(0, 1000),
    );
  });

  it('returns the whole content when another version has come', async () => {
    await get('bytes=0-3,10-19', { 'if-range': '"other"' }).expect(200);
  });

  it('names the encoding of the content in each part', async () => {
    const reply = await app.api
      .post(FILES)
      .query({ nsfilter: NS, _namespaces: NS })
      .set({ authorization: app.olga, 'content-encoding': 'gzip' })
      .attach('file', Buffer.from('0123456789'), 'encoded.txt')
      .expect(201);
    const encoded = reply.body[0]._id as string;
    const url = `${app.url}${FILES}/${encoded}/content?nsfilter=${NS}`;
    const ranges = await fetch(url, { headers: { authorization: app.olga, range: 'bytes=0-1,4-5' } });
    expect(ranges.headers.get('content-encoding')).toBeNull();
    const body = await ranges.text();
    expect(body.match(/Content-Encoding: gzip/g)).toHaveLength(2);
  });

  it('stops reading when the caller disconnects, and serves others', async () => {
    for (let n = 0; n < 3; n++) {
      await new Promise<void>((resolve) => {
        const headers = { authorization: app.olga, range: 'bytes=0-1400000,1500000-2900000' };
        const req = request(`${app.url}${FILES}/${id}/content?nsfilter=${NS}`, { headers }, (res) => {
          res.once('data', () => req.destroy());
          res.once('close', resolve);
          res.on('error', () => undefined);
        });
        req.on('error', () => undefined);
        req.end();
      });
    }
    partsOf(await get('bytes=0-3,10-19').expect(206));
  });
});
