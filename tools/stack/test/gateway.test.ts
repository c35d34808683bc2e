import { describe, expect, it } from '@jest/globals';
import { behindGateway, gatewayOf, route } from './fixtures/gateway.js';
import { echo, upstream } from './fixtures/upstream.js';
import { freePort } from '../src/ports.js';
import { rawRequest } from './fixtures/raw-request.js';

interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}
const json = async (response: Response) => (await response.json()) as Echo;

describe('the gateway', () => {
  it('forwards by the first part of the path, and only whole parts', async () => {
    const a = await upstream((_req, res) => res.end('a'));
    const b = await upstream((_req, res) => res.end('b'));
    const { baseUrl } = await gatewayOf(route('/asvc', a.port), route('/bsvc', b.port), route('/auth/realms', a.port));
    const get = (path: string) => fetch(baseUrl + path).then((response) => response.text());
    expect(await get('/asvc')).toBe('a');
    expect(await get('/asvc/api/v1/x?y=/bsvc')).toBe('a');
    expect(await get('/bsvc/')).toBe('b');
    expect(await get('/auth/realms/master')).toBe('a');
    expect(JSON.parse(await get('/asvcx'))).toMatchObject({ status: 404 });
    await Promise.all([a.close(), b.close()]);
  });

  it('passes method, path, query, headers and body on as they are', async () => {
    const { baseUrl, port } = await behindGateway(echo);
    const url = '/svc/a%2Fb/?q=%7B%7D&q=2';
    const response = await fetch(baseUrl + url, {
      method: 'PATCH',
      headers: { authorization: 'Bearer x', 'content-type': 'application/offset+octet-stream', 'upload-offset': '5' },
      body: 'hello',
    });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const got = await json(response);
    expect(got).toMatchObject({ method: 'PATCH', url, body: 'hello' });
    expect(got.headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      authorization: 'Bearer x',
      'upload-offset': '5',
      'content-length': '5',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': `127.0.0.1:${port}`,
      'x-forwarded-proto': 'http',
    });
  });

  it.each(['POST', 'PUT', 'DELETE'])('passes the body of a chunked %s on', async (method) => {
    const { baseUrl } = await behindGateway(echo);
    const body = new Blob(['streamed']).stream();
    const response = await fetch(`${baseUrl}/svc`, { method, body, duplex: 'half' });
    expect(await json(response)).toMatchObject({ method, body: 'streamed' });
  });

  it('keeps the request id of the caller, and makes one where there is none or none that fits', async () => {
    const { baseUrl } = await behindGateway(echo);
    const idFor = async (headers: Record<string, string>) =>
      (await json(await fetch(`${baseUrl}/svc`, { headers }))).headers['x-request-id'];
    expect(await idFor({ 'x-request-id': 'mine-1' })).toBe('mine-1');
    expect(await idFor({})).toMatch(/^[\w-]{36}$/);
    expect(await idFor({ 'x-request-id': 'a b' })).toMatch(/^[\w-]{36}$/);
  });

  it('answers in the platform’s error format where nothing serves the path', async () => {
    const { baseUrl } = await gatewayOf();
    const response = await fetch(`${baseUrl}/nothing`, { headers: { 'x-request-id': 'r-1' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('x-request-id')).toBe('r-1');
    expect(await response.json()).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      message: 'No service serves this path.',
      requestId: 'r-1',
    });
  });

  it('answers 503 with Retry-After while a service is not there', async () => {
    const { baseUrl } = await gatewayOf(route('/starting'), route('/down', await freePort()));
    for (const path of ['/starting/x', '/down/x']) {
      const response = await fetch(baseUrl + path, { method: 'POST', body: 'x'.repeat(100_000) });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.json()).toMatchObject({ status: 503, code: 'UNAVAILABLE', requestId: expect.any(String) });
    }
  });

  it('answers 502 when a service closes the connection instead of answering', async () => {
    const { baseUrl } = await behindGateway((req) => req.socket.destroy());
    const response = await fetch(`${baseUrl}/svc`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ status: 502, code: 'BAD_GATEWAY' });
  });

  it('serves requests that offer HTTP/2 by an upgrade, body included', async () => {
    const { port } = await behindGateway(echo);
    const lines = ['POST /svc/x HTTP/1.1', 'Host: platform', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'];
    const answer = await rawRequest(port, [...lines, 'HTTP2-Settings: AA', 'Content-Length: 5', '', 'hello']);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer).toContain('"body":"hello"');
  });

  it('shows a page with links, and the API reference of all services from its own files', async () => {
    const { baseUrl } = await gatewayOf(route('/asvc', 1), route('/bsvc', 2));
    const get = (path: string) => fetch(baseUrl + path);
    expect(await (await get('/')).text()).toContain('href="/docs/"');
    const docs = await get('/docs');
    expect(docs.url).toBe(`${baseUrl}/docs/`);
    const page = await docs.text();
    expect(page).not.toContain('//');
    for (const [, file] of page.matchAll(/(?:src|href)="\.\/([^"]+)"/g))
      expect((await get(`/docs/${file}`)).status).toBe(200);
    const script = await (await get('/docs/start.js')).text();
    for (const name of ['asvc', 'bsvc']) expect(script).toContain(`{"url":"/${name}/openapi.json","name":"${name}"}`);
    expect((await fetch(baseUrl, { method: 'POST' })).status).toBe(405);
    expect((await get('/docs/../package.json')).status).toBe(404);
  });
});
