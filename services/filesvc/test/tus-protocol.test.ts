import { afterAll, describe, expect, it } from '@jest/globals';
import { FILES, NS, startApp } from './start-app.js';
import { RESUMABLE, uploadClient } from './upload-client.js';

/** tus 1.0 on the URLs of the resumable upload. */
const app = await startApp();
const client = uploadClient(app, app.olga);
const id = await client.begin('tus.txt', 10);
afterAll(() => app.stop());

describe('tus protocol', () => {
  const TUS = { 'tus-resumable': '1.0.0' };
  const BODY = { ...TUS, 'content-type': 'application/offset+octet-stream' };
  /** Like a tus client: without a checksum in the URL. */
  const patch = (bytes: string, offset: number, headers: Record<string, string> = BODY) =>
    app.api
      .patch(`${FILES}/${id}`)
      .query(RESUMABLE)
      .set({ authorization: app.olga, 'upload-offset': String(offset), ...headers })
      .send(Buffer.from(bytes));

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

  it.each([
    ['another version', 412, { 'tus-resumable': '0.2.2' }],
    ['the media type application/octet-stream', 415, { 'content-type': 'application/octet-stream' }],
    ['a longer media type', 415, { 'content-type': 'application/offset+octet-stream-2' }],
    ['a shorter media type', 415, { 'content-type': 'application/offset' }],
    ['a media type among others', 415, { 'content-type': 'x; application/offset+octet-stream' }],
    ['a wrong offset', 409, { 'upload-offset': '3' }],
    ...['-1', '1.5', 'x', '', '1e3', '0x0', '9'.repeat(40)].map(
      (offset) => [`the offset "${offset}"`, 400, { 'upload-offset': offset }] as const,
    ),
  ])('rejects %s and changes nothing', async (_what, status, headers) => {
    const reply = await patch('hello', 0, { ...BODY, ...headers }).expect(status);
    expect(reply.headers).toMatchObject({ 'tus-resumable': '1.0.0', 'cache-control': 'no-store' });
    expect(reply.headers).not.toHaveProperty('upload-offset');
    if (status === 412) expect(reply.headers['tus-version']).toBe('1.0.0');
    expect(await client.offset(id)).toBe(0);
    expect((await client.get(id)).body._status).toBe('UPLOAD_INITIATED');
  });

  it.each(['application/offset+octet-stream; charset=utf-8', 'Application/Offset+Octet-Stream'])(
    'accepts the media type %s',
    async (type) => {
      const own = await client.begin('typed.txt', 10);
      const headers = { ...TUS, 'content-type': type };
      await client.patch(own, Buffer.from('hello'), { headers, offset: 0 }).expect(200);
    },
  );

  it('sends its headers in 401 and 404', async () => {
    const anonymous = await app.api.head(`${FILES}/${id}`).query(RESUMABLE).expect(401);
    const missing = await client.head('0'.repeat(24)).set(TUS).expect(404);
    for (const { headers } of [anonymous, missing])
      expect(headers).toMatchObject({ 'tus-resumable': '1.0.0', 'cache-control': 'no-store' });
  });

  it('appends bytes at the offset, also by POST with an overridden method', async () => {
    const first = await patch('hello', 0).expect(200);
    expect(first.headers).toMatchObject({ 'upload-offset': '5', 'tus-resumable': '1.0.0' });
    const post = (method: string, headers = {}) =>
      app.api
        .post(`${FILES}/${id}`)
        .query(RESUMABLE)
        .set({ authorization: app.olga, ...TUS, ...headers, 'x-http-method-override': method });
    const last = await post('PATCH', { ...BODY, 'upload-offset': '5' })
      .send(Buffer.from('world'))
      .expect(200);
    expect(last.headers['upload-offset']).toBe('10');
    expect((await client.download(id)).toString()).toBe('helloworld');
    const head = await post('HEAD').expect(200);
    expect(head.headers).toMatchObject({ 'upload-offset': '10', 'upload-length': '10', 'cache-control': 'no-store' });
    expect(head.text).toBe('');
  });

  it('terminates an upload with 204', async () => {
    const other = await client.begin('terminated.txt', 10);
    await client.patch(other, Buffer.from('123')).expect(200);
    await client.cancel(other).set(TUS).expect(204);
    await client.head(other).set(TUS).expect(404);
  });

  it('rejects PATCH without the upload type', async () => {
    await app.api.patch(`${FILES}/${id}`).query({ nsfilter: NS }).set({ authorization: app.olga }).expect(400);
  });
});
