import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { RESUMABLE, uploadClient } from './upload-client.js';

/** tus 1.0 on the URLs of the resumable upload. */
describe('tus protocol', () => {
  let app: TestApp;
  let client: ReturnType<typeof uploadClient>;
  let id: string;

  const TUS = { 'tus-resumable': '1.0.0' };
  const BODY = { ...TUS, 'content-type': 'application/offset+octet-stream' };
  /** Like a tus client: without a checksum in the URL. */
  const patch = (bytes: string, offset: number | string, headers: Record<string, string> = BODY) =>
    app.api
      .patch(`${FILES}/${id}`)
      .query(RESUMABLE)
      .set({ authorization: app.olga, ...headers, 'upload-offset': String(offset) })
      .send(Buffer.from(bytes));

  beforeAll(async () => {
    app = await startApp({ CORS_ORIGINS: 'http://viewer.test' });
    client = uploadClient(app, app.olga);
    id = await client.begin('tus.txt', 10);
  });
  afterAll(() => app.stop());

  it('announces version and extensions without authentication', async () => {
    for (const path of [FILES, `${FILES}/${id}`]) {
      const { headers } = await app.api.options(path).expect(204);
      expect(headers).toMatchObject({
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'termination',
        'tus-max-size': String(512 * 1024 ** 3),
      });
    }
  });

  it('rejects another version without processing the request', async () => {
    const reply = await patch('hello', 0, { ...BODY, 'tus-resumable': '0.2.2' }).expect(412);
    expect(reply.headers).toMatchObject({ 'tus-version': '1.0.0', 'tus-resumable': '1.0.0' });
    expect(await client.offset(id)).toBe(0);
  });

  it.each([
    'application/octet-stream',
    'application/offset+octet-stream-2',
    'application/offset',
    'x; application/offset+octet-stream',
  ])('rejects a body of the type %s', async (type) => {
    await patch('hello', 0, { ...TUS, 'content-type': type }).expect(415);
  });

  it.each(['application/offset+octet-stream; charset=utf-8', 'Application/Offset+Octet-Stream'])(
    'takes %s',
    async (type) => {
      const own = await client.begin('typed.txt', 10);
      await client
        .patch(own, Buffer.from('hello'), { headers: { ...TUS, 'content-type': type }, offset: 0 })
        .expect(200);
    },
  );

  it.each(['-1', '1.5', 'x', '', '9'.repeat(40)])('rejects the offset %p', async (offset) => {
    const reply = await patch('hello', offset);
    expect([400, 409]).toContain(reply.status);
    expect(await client.offset(id)).toBe(0);
  });

  it('rejects a wrong offset without changing anything', async () => {
    await patch('hello', 3).expect(409);
    expect(await client.offset(id)).toBe(0);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INITIATED');
  });

  it('sends the version in every response, including errors', async () => {
    const { status, headers } = await app.api.head(`${FILES}/${id}`).query(RESUMABLE);
    expect(status).toBe(401);
    expect(headers['tus-resumable']).toBe('1.0.0');
  });

  it('appends bytes at the offset, and honours an overridden method', async () => {
    const first = await patch('hello', 0).expect(200);
    expect(first.headers).toMatchObject({ 'upload-offset': '5', 'tus-resumable': '1.0.0' });
    const last = await app.api
      .post(`${FILES}/${id}`)
      .query(RESUMABLE)
      .set({ authorization: app.olga, ...BODY, 'upload-offset': '5', 'x-http-method-override': 'PATCH' })
      .send(Buffer.from('world'))
      .expect(200);
    expect(last.headers['upload-offset']).toBe('10');
    expect((await client.download(id)).toString()).toBe('helloworld');
  });

  it('answers a POST in place of HEAD', async () => {
    const reply = await app.api
      .post(`${FILES}/${id}`)
      .query(RESUMABLE)
      .set({ authorization: app.olga, ...TUS, 'x-http-method-override': 'HEAD' })
      .expect(200);
    expect(reply.headers).toMatchObject({ 'upload-offset': '10', 'upload-length': '10', 'cache-control': 'no-store' });
    expect(reply.text).toBe('');
  });

  it('has its headers in refusals, too', async () => {
    const rejections = [
      await patch('hello', 3).expect(409),
      await patch('hello', 10, { ...TUS, 'content-type': 'text/plain' }).expect(415),
      await patch('hello', 10).expect(400),
      await client.head('0'.repeat(24)).set(TUS).expect(404),
    ];
    for (const { headers } of rejections) expect(headers['tus-resumable']).toBe('1.0.0');
    expect(rejections.map(({ headers }) => headers['upload-offset'])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const { headers } = rejections.at(-1)!;
    expect(headers['cache-control']).toBe('no-store');
  });

  it('terminates an upload with 204', async () => {
    const other = await client.begin('terminated.txt', 10);
    await client.patch(other, Buffer.from('123')).expect(200);
    await client.cancel(other).set(TUS).expect(204);
    await client.head(other).set(TUS).expect(404);
  });

  it('allows browsers to read its headers and use its methods', async () => {
    const preflight = await app.api.options(`${FILES}/${id}`).set({
      origin: 'http://viewer.test',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,tus-resumable,upload-offset,content-type',
    });
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH');
    expect(preflight.headers['access-control-allow-headers']).toContain('upload-offset');
    const head = await client.head(id).set({ origin: 'http://viewer.test' }).expect(200);
    const exposed = head.headers['access-control-expose-headers']!.split(',');
    expect(exposed).toEqual(
      expect.arrayContaining(['Upload-Offset', 'Upload-Length', 'Tus-Resumable', 'Tus-Version', 'Content-Range']),
    );
    const stranger = await client.head(id).set({ origin: 'http://evil.test' }).expect(200);
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('rejects PATCH without the upload type', async () => {
    await app.api.patch(`${FILES}/${id}`).query({ nsfilter: NS }).set({ authorization: app.olga }).expect(400);
  });
});
