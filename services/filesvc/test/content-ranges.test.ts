import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requests } from './requests.js';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

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
  const partsOf = (response: { headers: Record<string, string>; body: Buffer }): Part[] => {
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
  };

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
    id = (await olga.upload('drawing.pdf', content).expect(201)).body[0]._id;
  });
  afterAll(() => app.stop());

  it('returns them as one multipart body, in the order of the request', async () => {
    const response = await get('bytes=2000000-2500000, 0-9, -5').expect(206);
    expect(response.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' });
    expect(response.headers['content-disposition']).toContain('attachment');
    expect(response.headers['content-range']).toBeUndefined();
    const parts = partsOf(response);
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
    const response = await app.api
      .post(FILES)
      .query({ nsfilter: NS, _namespaces: NS })
      .set({ authorization: app.olga, 'content-encoding': 'gzip' })
      .attach('file', Buffer.from('0123456789'), 'encoded.txt')
      .expect(201);
    const encoded = response.body[0]._id as string;
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
