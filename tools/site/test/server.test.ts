import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { silentLogger } from '@dtplatform/logging';
import { createSiteApp } from '../src/server/site-app.js';

const outside = mkdtempSync(path.join(tmpdir(), 'dtplatform-site-'));
const folder = path.join(outside, 'pages');
const app = () => createSiteApp({ content: pathToFileURL(`${outside}/`), log: silentLogger() });
let http: ReturnType<typeof supertest>;

beforeAll(() => {
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  };
  write('../secret.html', 'secret');
  write('../reference/openapi.json', '{"openapi":"3.1.0"}');
  write('../packages/sdk.tgz', 'archive');
  write('../console/index.html', '<div id="root"></div>');
  write('../console/assets/main.1234.js', 'run()');
  write('index.html', '<h1>Home</h1>');
  write('api.html', '<h1>API</h1>');
  write('api.html.gz', gzipSync('<h1>API</h1>'));
  write('404.html', '<h1>Not here</h1>');
  write('reference/index.html', '<h1>Reference</h1>');
  write('../redirects.json', '{"swagger":"reference/"}');
  write('assets/app.1234.js', 'run()');
  http = supertest(app());
});
afterAll(() => rmSync(outside, { recursive: true }));

describe('the documentation site', () => {
  it('serves pages without their suffix, and folders with a slash', async () => {
    const home = await http.get('/docs/').expect(200).expect('content-type', 'text/html; charset=utf-8');
    expect(home.text).toBe('<h1>Home</h1>');
    expect((await http.get('/docs/api?from=search')).text).toBe('<h1>API</h1>');
    expect((await http.get('/docs/reference/')).text).toBe('<h1>Reference</h1>');
    await http.get('/docs').expect(308).expect('location', '/docs/');
    await http.get('/docs/reference').expect(308).expect('location', '/docs/reference/');
  });

  it('serves the console for each of its addresses', async () => {
    for (const address of ['/console/', '/console/workspaces/1'])
      expect((await http.get(address).expect('cache-control', 'no-cache').expect(200)).text).toContain('root');
    await http.get('/console').expect(308).expect('location', '/console/');
    await http.get('/console/assets/main.1234.js').expect('cache-control', /immutable/);
    await http.get('/console/assets/gone.js').expect(404);
  });

  it.each([
    ['/docs/swagger/', '/docs/reference/'],
    ['/docs/api.html', '/docs/api'],
    ['/docs/api/', '/docs/api'],
  ])('redirects %s, which readers guess, to %s', async (guess, page) => {
    await http.get(guess).expect(308).expect('location', page);
  });

  it('serves the archives of packages, and redirects their folder to the page that lists them', async () => {
    const { body, headers } = await http.get('/packages/sdk.tgz').buffer().expect(200);
    expect(headers).toMatchObject({ 'content-type': 'application/gzip', 'content-length': '7' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(String(body)).toBe('archive');
    for (const folder of ['/packages', '/packages/'])
      await http.get(folder).expect(308).expect('location', '/docs/packages/');
    await http.get('/packages/other.tgz').expect(404);
  });

  it('allows only its own scripts and styles', async () => {
    const { headers } = await http.get('/docs/');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    const policyOf = (text: string | undefined) => text!.split('; ');
    const policy = policyOf(headers['content-security-policy']);
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(policy.filter((rule) => rule.includes('unsafe'))).toEqual(["style-src-attr 'unsafe-inline'"]);
    const console = await http.get('/console/');
    expect(console.headers['content-security-policy']).toContain("default-src 'self'; style-src 'self'; ");
    expect(console.headers['content-security-policy']).not.toContain('unsafe');
  });

  it('lets browsers cache hashed files for good, pages for five minutes, and no 404', async () => {
    await http.get('/docs/assets/app.1234.js').expect('cache-control', 'public, max-age=31536000, immutable');
    await http.get('/docs/api').expect('cache-control', 'public, max-age=300');
    await http.get('/docs/assets/app.5678.js').expect(404).expect('cache-control', 'no-store');
  });

  it('compresses responses for callers that accept gzip', async () => {
    const small = await http.get('/docs/api').set('accept-encoding', 'br, gzip').expect('content-encoding', 'gzip');
    expect(small.text).toBe('<h1>API</h1>');
    expect(small.headers.vary).toContain('accept-encoding');
    const plain = await http.get('/docs/api').set('accept-encoding', 'gzip;q=0, identity').expect(200);
    expect(plain.headers).toMatchObject({ 'content-length': '12' });
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  it('responds to HEAD without a body, and rejects other methods', async () => {
    const { text, headers } = await http.head('/docs/api').set('accept-encoding', 'identity').expect(200);
    expect([text, headers['content-length']]).toEqual([undefined, '12']);
    await http.post('/docs/api').expect(405).expect('allow', 'GET, HEAD');
  });

  it('shows a page for an unknown path', async () => {
    const { text } = await http.get('/docs/nothing').expect(404).expect('content-type', 'text/html; charset=utf-8');
    expect(text).toBe('<h1>Not here</h1>');
  });

  it.each([
    '/docs/../secret',
    '/docs/../../secret.html',
    '/docs/%2e%2e/secret',
    '/docs/..%2fsecret',
    '/docs/..%5csecret',
    '/docs//etc/passwd',
    '/docs/api%00',
    '/docs/%E0%A4%A',
    '/docs/__proto__',
    '/docs/api.html.gz',
  ])('serves only the files of its folders: %s', async (target) => {
    const [status, body] = await requestTarget(target);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).not.toContain('secret');
  });

  it('serves the API descriptions at the root to pages of any origin', async () => {
    const { body } = await http
      .get('/openapi.json')
      .set('origin', 'https://app.example.com')
      .expect(200)
      .expect('content-type', 'application/json; charset=utf-8')
      .expect('access-control-allow-origin', 'https://app.example.com');
    expect(body).toEqual({ openapi: '3.1.0' });
    await http.get('/asyncapi.json').expect(404);
  });

  it('rejects a file of an unknown type at the start', () => {
    writeFileSync(path.join(folder, 'tool.exe'), '');
    expect(app).toThrow('unknown type: tool.exe');
  });
});

/** Sends the path unchanged; supertest would resolve dots. */
function requestTarget(target: string): Promise<[number, string]> {
  const server = app().listen(0, '127.0.0.1');
  return new Promise<[number, string]>((resolve, reject) => {
    server.once('listening', () => {
      const { port } = server.address() as AddressInfo;
      get({ host: '127.0.0.1', port, path: target }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => resolve([response.statusCode!, body]));
      }).on('error', reject);
    });
  }).finally(() => server.close());
}
