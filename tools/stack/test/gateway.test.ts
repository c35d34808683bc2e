import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { behindGateway, gatewayOf, route } from './fixtures/gateway.js';
import { echo, upstream } from './fixtures/upstream.js';
import { freePort } from '../src/ports.js';
import { startGateway } from '../src/gateway/start-gateway.js';
import { keepMail } from '../src/mail/caught-mail.js';
import { rawRequest } from './fixtures/raw-request.js';
import { tempDir } from './fixtures/temp-dir.js';

interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}
const json = async (response: Response) => (await response.json()) as Echo;

describe('the gateway', () => {
  it('forwards by path prefix, matching whole segments only', async () => {
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

  it('passes on method, path, query, headers and body unchanged', async () => {
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

  it('retries when the service has closed a kept-alive connection', async () => {
    const used = new WeakSet<Socket>();
    const { baseUrl } = await behindGateway((req, res) => {
      if (used.has(req.socket)) return void req.socket.resetAndDestroy();
      used.add(req.socket);
      res.end('answered');
    });
    for (let n = 0; n < 4; n++) expect(await (await fetch(`${baseUrl}/svc`)).text()).toBe('answered');
  });

  it('responds in the platform’s error format when no service serves the path', async () => {
    const { baseUrl } = await gatewayOf();
    const response = await fetch(`${baseUrl}/nothing`, { headers: { 'x-request-id': 'r-1' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('x-request-id')).toBe('r-1');
    expect(await response.json()).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      message: 'No service serves this path.',
      requestId: 'r-1',
      documentation: '/docs/guides/errors#not_found',
    });
  });

  it.each([
    ['an unknown method', 'FOO /svc HTTP/1.1\r\nhost: x', 400, 'BAD_REQUEST'],
    ['no host', 'GET /svc HTTP/1.1', 400, 'BAD_REQUEST'],
    ['a tunnel', 'CONNECT x:80 HTTP/1.1\r\nhost: x:80', 405, 'METHOD_NOT_ALLOWED'],
    ['a long URL', `GET /svc/${'a'.repeat(60_000)} HTTP/1.1\r\nhost: x`, 431, 'HEADERS_TOO_LARGE'],
  ])('rejects a request with %s as a service does', async (_what, request, status, code) => {
    const { port } = await behindGateway(echo);
    const [head = '', body = ''] = (await rawRequest(port, [request, '', ''])).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status}`);
    const error = JSON.parse(body) as { requestId: string };
    expect(error).toMatchObject({ status, code, documentation: `/docs/guides/errors#${code.toLowerCase()}` });
    expect(head).toContain(`x-request-id: ${error.requestId}`);
  });

  it('responds 503 with Retry-After while a service is not running', async () => {
    const { baseUrl } = await gatewayOf(route('/starting'), route('/down', await freePort()));
    for (const path of ['/starting/x', '/down/x']) {
      const response = await fetch(baseUrl + path, { method: 'POST', body: 'x'.repeat(100_000) });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.json()).toMatchObject({ status: 503, code: 'UNAVAILABLE', requestId: expect.any(String) });
    }
  });

  it('responds 502 when a service closes the connection without a response', async () => {
    const { baseUrl } = await behindGateway((req) => req.socket.destroy());
    const response = await fetch(`${baseUrl}/svc`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ status: 502, code: 'BAD_GATEWAY' });
  });

  it('serves requests that offer an upgrade to HTTP/2, including their body', async () => {
    const { port } = await behindGateway(echo);
    const lines = ['POST /svc/x HTTP/1.1', 'Host: platform', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'];
    const answer = await rawRequest(port, [...lines, 'HTTP2-Settings: AA', 'Content-Length: 5', '', 'hello']);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(answer).toContain('"body":"hello"');
  });

  it('shows a page with links to the documentation and to the description of each service', async () => {
    const site = { prefix: '/docs', service: 'site', upstreamPort: () => undefined };
    const { baseUrl } = await gatewayOf(route('/asvc', 1), route('/bsvc', 2), site);
    const page = await (await fetch(baseUrl)).text();
    for (const link of ['/docs/', '/console/', '/mails', '/asvc/openapi.json', '/bsvc/openapi.json'])
      expect(page).toContain(`href="${link}"`);
    expect((await fetch(baseUrl, { method: 'POST' })).status).toBe(405);
    expect(page).not.toContain('undefined');
    expect((await fetch(`${baseUrl}/docs/`)).status).toBe(503);
  });

  it('shows caught mails, as text, to pages of this machine only', async () => {
    const mailDirectory = await tempDir();
    const mail = { receivedAt: '2026-01-01T00:00:00.000Z', sender: 'a@example.com', recipients: ['b@example.com'] };
    const text = 'Accept [http://127.0.0.1/invites] <script>alert(1)</script>';
    await keepMail(mailDirectory, { ...mail, subject: 'Invite & more', text, headers: {} }, Buffer.from(''));
    const gateway = await startGateway({ port: 0, routes: [], mailDirectory });
    const page = await (await fetch(`${gateway.baseUrl}/mails`)).text();
    expect(page).toContain('Invite &amp; more');
    expect(page).toContain('<a href="http://127.0.0.1/invites">');
    expect(page).not.toContain('<script>');
    const lines = ['GET /mails HTTP/1.1', 'Host: evil.example.com', '', ''];
    expect(await rawRequest(gateway.port, lines)).toMatch(/^HTTP\/1.1 404/);
    await gateway.close();
  });
});
