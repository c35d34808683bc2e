import { afterAll, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { accepted, created, header, locationHeader, noContent, ok, route, routes } from '../src/index.js';
import { anybody, anyCaller, startApi } from './start-api.js';

const answer = (operation: string) => ({ ...anybody(operation), handler: async () => ok({ operation }) });

const things = routes('/things', [
  route.get('/', answer('things.list')),
  route.get('/:id', answer('things.get')),
  route.get('/fixed', answer('things.fixed')),
  route.post('/', { ...answer('things.upload'), when: ({ query }) => query.uploadType === 'resumable' }),
  route.post('/', { ...answer('things.form'), when: ({ headers }) => headers['content-type'] === 'text/form' }),
  route.post('/', answer('things.create')),
  route.put('/:id', answer('things.update')),
  route.patch('/:id', answer('things.patch')),
  route.delete('/:id', {
    ...answer('things.delete'),
    responses: { 204: null },
    headers: { 204: [header('X-More', 'More.', z.number())] },
    handler: async () => noContent({ 'x-more': 1 }),
  }),
  route.post('/made', {
    ...answer('things.made'),
    responses: { 201: null },
    headers: { 201: [locationHeader] },
    handler: async () => created([1], { location: '/x' }),
  }),
  route.post('/later', {
    ...answer('things.later'),
    responses: { 202: null },
    headers: { 202: [locationHeader] },
    handler: async () => accepted('/tasks/1'),
  }),
]);

const callers = routes('/callers', [
  route.get('/', {
    ...anyCaller('callers.get'),
    handler: async ({ access: { principal } }) => ok({ id: principal.id }),
  }),
  route.get('/trusted', { ...answer('callers.trusted'), auth: 'bearer', callers: ['trusted', 'admin'] }),
  route.get('/other-header', {
    ...anyCaller('callers.header'),
    tokenHeader: 'authentication',
    handler: async () => ok({}),
  }),
  route.get('/nobody', { ...answer('callers.nobody'), handler: async ({ access }) => ok(access.principal) }),
]);

const page = (_req: Request, res: Response) => void res.type('html').send('<p>page</p>');

const app = await startApi([], {
  mounts: [
    { prefix: '/svc/api/v1', tables: [things, callers] },
    { prefix: '/svc/api/vi', tables: [things] },
    { prefix: '/pages', tables: [], fallback: page },
  ],
});
afterAll(() => app.stop());

const operationOf = async (method: 'get' | 'post' | 'put' | 'patch', path: string) =>
  ((await app.api[method](`/svc/api/v1${path}`).expect(200)).body as { operation: string }).operation;

describe('a request', () => {
  it('reaches the operation of its path and method, also with a trailing slash', async () => {
    expect(await operationOf('get', '/things')).toBe('things.list');
    expect(await operationOf('get', '/things/')).toBe('things.list');
    expect(await operationOf('get', '/things/17')).toBe('things.get');
    expect(await operationOf('get', '/things/17/')).toBe('things.get');
    expect(await operationOf('put', '/things/17')).toBe('things.update');
    expect(await operationOf('patch', '/things/17')).toBe('things.patch');
  });

  it('reaches the first matching of several operations', async () => {
    expect(await operationOf('post', '/things?uploadType=resumable')).toBe('things.upload');
    expect(await operationOf('post', '/things')).toBe('things.create');
    const form = await app.api.post('/svc/api/v1/things').set('content-type', 'text/form').send('x').expect(200);
    expect(form.body.operation).toBe('things.form');
  });

  it('reaches the same tables below each of their prefixes', async () => {
    await app.api.get('/svc/api/vi/things').expect(200);
  });

  it("reaches a mount's fallback", async () => {
    expect((await app.api.get('/pages/any').expect(200)).text).toBe('<p>page</p>');
  });

  it.each(['/', '/svc/api/v1/things/1/2', '/svc/api/v2/things'])(
    'to an unknown path (%s) is a 404 in the platform’s format',
    async (path) => {
      const response = await app.api.get(path).expect(404);
      expect(response.body).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        requestId: response.headers['x-request-id'],
      });
      expect(response.body.message).toBe('There is no such path.');
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    },
  );

  it('with an unsupported method is a 405 that lists the supported ones', async () => {
    const response = await app.api.delete('/svc/api/v1/things').expect(405);
    expect(response.body).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(response.headers.allow).toBe('GET, HEAD, POST');
    const one = await app.api.post('/svc/api/v1/things/17').expect(405);
    expect(one.headers.allow!.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']);
    expect((await app.send('/svc/api/v1/things', { method: 'PROPFIND' })).status).toBe(405);
  });

  it('reaches a fixed path, and its 405, even after a matching path with parameters', async () => {
    expect(await operationOf('get', '/things/fixed')).toBe('things.fixed');
    for (const method of ['delete', 'post'] as const) {
      const rejected = await app.api[method]('/svc/api/v1/things/fixed').expect(405);
      expect(rejected.headers.allow).toBe('GET, HEAD');
    }
  });

  it('with HEAD gets the headers of GET and no body', async () => {
    const get = await app.send('/svc/api/v1/things/17');
    const head = await app.send('/svc/api/v1/things/17', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await app.send('/svc/api/v1/nothing', { method: 'HEAD' })).body).toBe('');
  });
});

describe('a response', () => {
  it("has the handler's status, headers and body", async () => {
    const made = await app.api.post('/svc/api/v1/things/made').expect(201);
    expect(made.headers.location).toBe('/x');
    expect(made.body).toEqual([1]);
    const later = await app.api.post('/svc/api/v1/things/later').expect(202);
    expect(later.headers.location).toBe('/tasks/1');
    const gone = await app.api.delete('/svc/api/v1/things/1').expect(204);
    expect(gone.headers['x-more']).toBe('1');
    expect(gone.text).toBe('');
  });

  it('does not reveal the software, and forbids content sniffing', async () => {
    const { headers } = await app.api.get('/svc/api/v1/things').expect(200);
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('has the request’s id, or a new one if the request has none or an invalid one', async () => {
    const sent = await app.api.get('/svc/api/v1/things').set('x-request-id', 'abc-1.2_3').expect(200);
    expect(sent.headers['x-request-id']).toBe('abc-1.2_3');
    const ids = new Set<string>();
    for (const bad of ['', 'a b', 'x'.repeat(65), '<script>']) {
      const response = await app.api.get('/svc/api/v1/things').set('x-request-id', bad).expect(200);
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      ids.add(response.headers['x-request-id']!);
    }
    expect(ids.size).toBe(4);
  });
});

describe('the caller', () => {
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  it('is the subject of the token', async () => {
    const response = await app.api.get('/svc/api/v1/callers').set(as('user-olga')).expect(200);
    expect(response.body).toEqual({ id: 'olga' });
  });

  it('without a token gets a 401 with a challenge that does not blame a token', async () => {
    const response = await app.api.get('/svc/api/v1/callers').expect(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.body).toEqual({
      status: 401,
      code: 'UNAUTHORIZED',
      message: 'The access token is missing: send it in the Authorization header, after Bearer.',
      requestId: expect.any(String),
      documentation: '/docs/guides/errors#unauthorized',
      error: 'invalid_token',
      error_description: response.body.message,
    });
  });

  it.each([
    ['Bearer bad', '[^"]+'],
    ['Basic dXNlcjpvbGdh', 'The Authorization header is malformed[^"]*'],
    ['Bearer user-ä', 'The Authorization header is malformed[^"]*'],
  ])('with %j gets a 401 that blames it', async (authorization, description) => {
    const response = await app.send('/svc/api/v1/callers', { headers: { authorization } });
    expect(response.status).toBe(401);
    const challenge = new RegExp(`^Bearer error="invalid_token", error_description="${description}"$`);
    expect(response.headers['www-authenticate']).toMatch(challenge);
  });

  it('gets a 403 if the operation is for other kinds', async () => {
    const rejected = await app.api.get('/svc/api/v1/callers/trusted').set(as('user-olga')).expect(403);
    expect(rejected.body.message).toBe('The operation is only for trusted clients and administrators.');
    await app.api.get('/svc/api/v1/callers/trusted').set(as('trusted-svc')).expect(200);
  });

  it('may send the token in another header only if the operation declares it', async () => {
    const headers = { authentication: 'Bearer user-olga' };
    await app.api.get('/svc/api/v1/callers/other-header').set(headers).expect(200);
    await app.api.get('/svc/api/v1/callers/other-header').set({ authentication: 'Bearer bad' }).expect(401);
    await app.api.get('/svc/api/v1/callers').set(headers).expect(401);
  });

  it('does not exist without authentication: reading it throws', async () => {
    await app.api.get('/svc/api/v1/callers/nobody').set(as('user-olga')).expect(500);
  });
});

it('rejects at compile time an operation that does not declare who may call it', () => {
  const handler = async () => ok({});
  // @ts-expect-error one of auth, callers and needs is missing
  const { needs } = route.get('/', { operation: 'open', summary: 'Open.', responses: { 200: null }, handler });
  expect(needs).toBeUndefined();
});
