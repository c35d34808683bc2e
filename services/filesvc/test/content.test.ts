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
    const response = await get({ range }).expect(206);
    expect(response.text).toBe(expected);
    expect(response.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(expected.length),
    });
  });

  it.each(['bytes=10-', 'bytes=-0', 'bytes=100-200', 'bytes=10-, 20-30,-0'])('rejects the range %s', async (range) => {
    const response = await get({ range }).expect(416);
    expect(response.headers['content-range']).toBe('bytes */10');
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
