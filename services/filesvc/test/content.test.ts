import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  ])('returns the range %s', async (range, expected, contentRange) => {
    const reply = await get({ range }).expect(206);
    expect(reply.text).toBe(expected);
    expect(reply.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(expected.length),
    });
  });

  it.each(['bytes=10-', 'bytes=-0', 'bytes=100-200'])('rejects the range %s', async (range) => {
    const reply = await get({ range }).expect(416);
    expect(reply.headers['content-range']).toBe('bytes */10');
  });

  it.each(['bytes=5-2', 'lines=1-2', 'bytes=0-1,3-4', 'bytes=', 'bytes=a-b'])(
    'returns the whole content for %p',
    async (range) => {
      expect((await get({ range }).expect(200)).text).toBe(text);
    },
  );

  it('answers 304 to a caller that has the version, and never mixes versions', async () => {
    await get({ 'if-none-match': etag }).expect(304);
    await get({ 'if-none-match': '"other", *' }).expect(304);
    await get({ 'if-match': '"other"' }).expect(412);
    expect((await get({ range: 'bytes=0-1', 'if-range': etag }).expect(206)).text).toBe('01');
    expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' }).expect(200)).text).toBe(text);
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
