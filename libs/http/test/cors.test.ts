import { afterAll, describe, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { header, noContent, ok, route, routes } from '../src/index.js';
import { anybody, startApi } from './start-api.js';

const table = routes('/files', [
  route.get('/', { ...anybody('list'), handler: async () => ok([]) }),
  route.post('/', {
    ...anybody('create'),
    responses: { 201: null },
    errors: [commonErrors.conflict],
    handler: () => Promise.reject(commonErrors.conflict()),
  }),
  route.options('/', {
    ...anybody('tell'),
    responses: { 204: null },
    headers: { 204: [header('Tus-Version', 'The version of tus.')] },
    handler: async () => noContent({ 'tus-version': '1.0.0' }),
  }),
]);
const other = routes('/other', [route.get('/', { ...anybody('other'), handler: async () => ok([]) })]);

const app = await startApi([table, other], {
  corsOrigins: ['https://app.example.com', 'http://localhost:*', 'https://*.tenants.example.com'],
  isAllowedOrigin: async (origin) => {
    if (origin.includes('broken')) throw new Error('the list cannot be loaded');
    return origin === 'https://listed.example.com';
  },
});
afterAll(() => app.stop());

/** Headers that pages may read. */
const EXPOSED =
  'etag location upload-offset upload-length tus-resumable x-request-id retry-after ignored preference-applied';

const preflight = (origin: string, method = 'PATCH') =>
  app.api.options('/api/files').set({
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,prefer,upload-offset',
  });

describe('CORS for an allowed origin', () => {
  it.each(['https://app.example.com', 'http://localhost:3000', 'https://a.b.tenants.example.com'])(
    'allows (%s) to read responses',
    async (origin) => {
      const reply = await app.api.get('/api/files').set({ origin }).expect(200);
      expect(reply.headers['access-control-allow-origin']).toBe(origin);
      expect(reply.headers.vary).toMatch(/origin/i);
      const exposed = reply.headers['access-control-expose-headers']!.toLowerCase();
      for (const name of EXPOSED.split(' ')) {
        expect(exposed.split(',')).toContain(name);
      }
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it('allows reading errors', async () => {
    const reply = await app.api.post('/api/files').set({ origin: 'https://app.example.com' }).expect(409);
    expect(reply.headers['access-control-allow-origin']).toBe('https://app.example.com');
  });

  it('answers the preflight before any other check', async () => {
    const reply = await preflight('https://app.example.com').expect(204);
    expect(reply.headers['access-control-allow-origin']).toBe('https://app.example.com');
    expect(reply.headers['access-control-allow-methods']).toContain('PATCH');
    expect(reply.headers['access-control-allow-headers']).toBe('authorization,prefer,upload-offset');
    expect(reply.headers['access-control-max-age']).toBe('600');
    expect(reply.headers['tus-version']).toBeUndefined();
    const anywhere = await app.api
      .options('/api/other/none')
      .set({ origin: 'https://app.example.com', 'access-control-request-method': 'GET' });
    expect(anywhere.status).toBe(204);
  });
});

describe('CORS for any other origin', () => {
  it.each([
    'https://evil.example.com',
    'http://app.example.com',
    'https://app.example.com.evil.com',
    'https://app.example.com:8443',
    'https://appXexample.com',
    'http://localhost:1@evil.com',
    'http://localhost:evil.com/',
    'https://tenants.example.com',
    'https://evil.com/.tenants.example.com',
    'null',
  ])('does not allow (%s)', async (origin) => {
    const reply = await app.api.get('/api/files').set({ origin }).expect(200);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    expect((await preflight(origin)).headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('an OPTIONS request that is not a preflight', () => {
  it('reaches its operation', async () => {
    const reply = await app.api.options('/api/files').set({ origin: 'https://app.example.com' }).expect(204);
    expect(reply.headers['tus-version']).toBe('1.0.0');
    expect(reply.headers['access-control-allow-origin']).toBe('https://app.example.com');
  });

  it('is a 405 without an operation', async () => {
    const reply = await app.api.options('/api/other').expect(405);
    expect(reply.headers.allow).toContain('GET');
  });
});

it('without allowed origins, rejects pages and accepts calls without an origin', async () => {
  const closed = await startApi([table]);
  const reply = await closed.api.get('/api/files').set({ origin: 'https://app.example.com' }).expect(200);
  expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  await closed.api.get('/api/files').expect(200);
  await closed.stop();
});

it('decides about an unlisted origin per call, and rejects it while that is not possible', async () => {
  const allowed = async (origin: string) => {
    const [before, call] = [await preflight(origin), await app.api.get('/api/files').set({ origin })];
    return [before, call].map(({ headers }) => headers['access-control-allow-origin'] === origin);
  };
  expect(await allowed('https://listed.example.com')).toEqual([true, true]);
  expect(await allowed('https://other.example.com')).toEqual([false, false]);
  expect(await allowed('https://broken.example.com')).toEqual([false, false]);
});
