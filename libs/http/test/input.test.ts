import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { booleanParameter, listParameter, nsfilter, ok, route, routes } from '../src/index.js';
import { anybody, startApi } from './start-api.js';

const SECRET = 'value-that-must-not-come-back';

const table = routes('/things', [
  route.get('/', {
    ...anybody('things.list'),
    query: z.object({
      size: z.enum(['small', 'large']).optional(),
      ids: listParameter(z.string().max(3), 3).optional(),
      deep: booleanParameter.optional(),
      nsfilter: nsfilter.optional(),
    }),
    handler: async ({ query }) => ok(query),
  }),
  route.get('/:id', {
    ...anybody('things.get'),
    params: z.object({ id: z.string().regex(/^\d+$/) }),
    handler: async ({ params }) => ok(params),
  }),
  route.post('/', {
    ...anybody('things.create'),
    body: z.object({
      _name: z.string().min(1),
      _count: z.number().optional(),
      _kind: z.enum(['a', 'b']).optional(),
      _list: z.array(z.object({ n: z.number() })).optional(),
      _free: z.record(z.string(), z.unknown()).optional(),
    }),
    maxBodyBytes: 1000,
    handler: async ({ body }) => ok(body),
  }),
  route.post('/strict', {
    ...anybody('things.strict'),
    body: z.strictObject({ _name: z.string() }),
    handler: async ({ body }) => ok(body),
  }),
  route.post('/large', {
    ...anybody('things.large'),
    body: z.unknown(),
    handler: async ({ body }) => ok({ type: typeof body }),
  }),
  route.post('/encoded', {
    ...anybody('things.encoded'),
    body: z.object({ _name: z.string() }),
    ignoreContentEncoding: true,
    handler: async ({ body }) => ok(body),
  }),
]);

const app = await startApi([table]);
afterAll(() => app.stop());

const post = (body: string, headers: Record<string, string> = {}, path = '/api/things') =>
  app.send(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
const errorOf = (response: { body: string }) =>
  JSON.parse(response.body) as { code: string; errors?: { location: string; message: string }[] };

describe('invalid input', () => {
  it('in the path is a 404', async () => {
    const response = await app.api.get('/api/things/abc').expect(404);
    expect(response.body).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      message: 'The resource does not exist, or the caller has no access to it.',
      requestId: response.headers['x-request-id'],
      documentation: '/docs/guides/errors#not_found',
    });
  });

  it('in the query is a 400 that names each invalid field', async () => {
    const response = await app.api.get(`/api/things?size=${SECRET}&deep=maybe&ids=1234`).expect(400);
    expect(response.body).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    const places = (response.body.errors as { location: string }[]).map(({ location }) => location);
    expect(places.sort()).toEqual(['query.deep', 'query.ids.0', 'query.size']);
    expect(response.text).not.toContain(SECRET);
    expect(response.text).not.toContain('maybe');
  });

  it('in the body is a 400 that describes each invalid field without its value', async () => {
    const list = [{ n: 1 }, { n: SECRET }];
    const response = await post(JSON.stringify({ _count: SECRET, _kind: SECRET, _list: list, _free: null }));
    expect(response.status).toBe(400);
    expect(errorOf(response).errors).toEqual([
      { location: 'body._name', message: 'is required' },
      { location: 'body._count', message: 'must be a number' },
      { location: 'body._kind', message: 'must be one of "a", "b"' },
      { location: 'body._list.1.n', message: 'must be a number' },
      { location: 'body._free', message: 'must be an object' },
    ]);
    expect(response.body).not.toContain(SECRET);
    expect(errorOf(await post('')).errors).toEqual([{ location: 'body', message: 'is required' }]);
  });

  it('is reported without the names of unknown fields', async () => {
    const response = await post(JSON.stringify({ _name: 'a', [SECRET]: 1 }), {}, '/api/things/strict');
    expect(response.status).toBe(400);
    expect(errorOf(response).errors).toEqual([{ location: 'body', message: 'has unknown fields' }]);
    expect(response.body).not.toContain(SECRET);
  });

  it('is reported with at most twenty problems', async () => {
    const response = await post(JSON.stringify({ _name: 'a', _list: Array.from({ length: 50 }, () => ({})) }));
    expect(errorOf(response).errors).toHaveLength(20);
  });

  it.each(['null', '[]', '"text"'])('is a 400 when the body is %s instead of an object', async (body) => {
    expect(await post(body)).toMatchObject({ status: 400 });
  });
});

describe('valid input', () => {
  it('is passed on without unknown keys', async () => {
    const query = await app.api.get('/api/things?size=small&stray=1&_x').expect(200);
    expect(query.body).toEqual({ size: 'small' });
    const response = await post(JSON.stringify({ _name: 'a', stray: { x: 1 } }));
    expect(JSON.parse(response.body)).toEqual({ _name: 'a' });
  });

  it('preserves nested values and all characters', async () => {
    const value = { _name: 'Büro ☃ 🏢', _free: { 'a.b': { $c: ['__proto__', null, 1.5] } } };
    expect(JSON.parse((await post(JSON.stringify(value))).body)).toEqual(value);
  });
});

describe('request body', () => {
  it('that is not JSON, or cannot be stored, is a 400 with the place and without the value', async () => {
    const wrong = await post('{"_name": "a",\n "_list": [{"n": 9007199254740993}]}');
    expect(errorOf(wrong)).toMatchObject({
      status: 400,
      message: expect.stringContaining('_list[0].n'),
      errors: [{ location: 'body._list.0.n' }],
    });
    expect(wrong.body).not.toContain('9007199254740993');
    expect(errorOf(await post('{"_name": "a",\n "_list": x}'))).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
      message: 'The body is not valid JSON (line 2, column 11).',
    });
  });

  it("above the operation's limit is a 413, with or without Content-Length", async () => {
    const body = JSON.stringify({ _name: 'x'.repeat(1000) });
    expect((await post(body, { 'content-length': String(body.length) })).status).toBe(413);
    const chunked = await post(body, { 'transfer-encoding': 'chunked' });
    expect(chunked.status).toBe(413);
    expect(errorOf(chunked)).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringMatching(/^The request body is larger than \d+ bytes\.$/),
    });
  });

  it('above one mebibyte is a 413 by default, even if it is much longer', async () => {
    const fits = JSON.stringify('x'.repeat(1024 * 1024 - 2));
    expect((await post(fits, {}, '/api/things/large')).status).toBe(200);
    expect((await post(`${fits} `, {}, '/api/things/large')).status).toBe(413);
    const huge = Buffer.alloc(30 * 1024 * 1024, ' ').toString();
    expect((await post(huge, {}, '/api/things/large')).status).toBe(413);
    expect((await post(huge, { 'transfer-encoding': 'chunked' }, '/api/things/large')).status).toBe(413);
  });

  it('with an encoding is a 415, unless the encoding describes the file', async () => {
    const body = '{"_name":"a"}';
    expect((await post(body, { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post(body, { 'content-encoding': 'identity' })).status).toBe(200);
    expect((await post(body, { 'content-encoding': 'Identity' })).status).toBe(200);
    expect((await post(body, { 'content-encoding': 'gzip' }, '/api/things/encoded')).status).toBe(200);
  });
});

describe('request path', () => {
  it.each(['/api/things/%', '/api/things/%E0%A4%A'])('with an invalid escape (%s) is a 400', async (path) => {
    const response = await app.send(path);
    expect(response.status).toBe(400);
    expect(errorOf(response).code).toBe('BAD_REQUEST');
  });

  it.each([
    ['?size=small&name=caf%E9', 'query.name'],
    ['?name=%', 'query.name'],
    ['?n%C3%A4me=%ED%A0%80', 'query.näme'],
    ['?a=b%00', 'query.a'],
    ['?%FF=1', 'query'],
  ])('with an escape that is not text (%s) is a 400 that names the parameter', async (path, location) => {
    const response = await app.send(`/api/things${path}`);
    expect(response.status).toBe(400);
    expect(errorOf(response).errors).toEqual([
      { location, message: 'has escapes that are invalid UTF-8 or encode NUL' },
    ]);
  });

  it('with unescaped characters is a 400', async () => {
    expect((await app.send(`/api/things?stray=${Buffer.from('é').toString('latin1')}`)).status).toBe(400);
  });
});
