import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineErrors } from '@dtplatform/errors';
import { documents, header, locationHeader, route, routes } from '@dtplatform/http';
import { copyExamples } from '../src/index.js';
import type { RouteResponse } from '../src/operation-object.js';
import { api, files, handler, only } from './files-api.js';
import { assertValid, parametersOf } from './support.js';

describe('the description of an API', () => {
  const document = api([files]);

  it('is a valid OpenAPI 3.1 document', async () => {
    await assertValid(document);
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Files', description: 'Stores files.' } });
  });

  it('lists every path below its prefix, with parameters in OpenAPI notation', () => {
    expect(Object.keys(document.paths).sort()).toEqual([
      '/auth/scim/Users',
      '/filesvc/api/v1/files',
      '/filesvc/api/v1/files/{id}',
      '/filesvc/api/v1/files/{id}/content',
      '/filesvc/api/v1/files/{id}/sizes;{dimensions}',
      '/oauth/token',
    ]);
    for (const [path, operations] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const operation of Object.values(operations)) {
        const inPath = (operation.parameters as { name: string; in: string }[]).filter((each) => each.in === 'path');
        expect(inPath.map(({ name }) => name)).toEqual(names);
      }
    }
  });

  it('describes the schema of a declared path parameter', () => {
    const { get, delete: remove } = document.paths['/filesvc/api/v1/files/{id}']!;
    expect(parametersOf(get!).id).toMatchObject({
      required: true,
      schema: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    });
    expect(parametersOf(remove!).id).toMatchObject({ required: true, schema: { type: 'string' } });
  });

  it('describes query parameters as callers send them', () => {
    const parameters = parametersOf(document.paths['/filesvc/api/v1/files']!.get!);
    expect(parameters).toMatchObject({
      _offset: { in: 'query', required: false, schema: { type: 'integer', minimum: 0 } },
      _pageSize: { in: 'query', required: false },
      nsfilter: { in: 'query', required: true, schema: { type: 'string' } },
      withUrl: { required: false, schema: { type: 'boolean' } },
      _ids: { required: false, description: 'Ids.', schema: { anyOf: [{ type: 'string' }, { minItems: 1 }] } },
    });
  });

  it('describes request bodies as they are sent and responses as they are returned', () => {
    const { get } = document.paths['/filesvc/api/v1/files/{id}']!;
    expect(get!.responses['200']).toMatchObject({
      content: {
        'application/json': { schema: { required: ['_id', '_createdAt'], properties: { _size: { type: 'number' } } } },
      },
    });
    expect(document.paths['/filesvc/api/v1/files/{id}/content']!.get!.responses).toMatchObject({
      200: { description: 'The bytes.', content: { '*/*': {} } },
      206: { description: 'Some.' },
    });
    expect(document.paths['/filesvc/api/v1/files/{id}']!.delete!.responses['204']).not.toHaveProperty('content');
  });

  it('describes the errors of each mount in its own format', () => {
    const unavailable = (path: string) => document.paths[path]!.post!.responses['503'];
    expect(unavailable('/filesvc/api/v1/files')).toEqual({ $ref: '#/components/responses/Unavailable' });
    expect(unavailable('/auth/scim/Users')).toEqual({ $ref: '#/components/responses/UnavailableScim' });
    expect(unavailable('/oauth/token')).toEqual({ $ref: '#/components/responses/UnavailableOAuth' });
    const { Unavailable, UnavailableScim, UnavailableOAuth } = document.components.responses!;
    expect(Unavailable).toMatchObject({
      headers: { 'Retry-After': {}, 'X-Request-Id': {} },
      content: {
        'application/json': {
          schema: {
            allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: ['UNAVAILABLE'] } } }],
          },
          examples: { UNAVAILABLE: { value: { status: 503, code: 'UNAVAILABLE' } } },
        },
      },
    });
    expect(UnavailableScim).toMatchObject({
      content: { 'application/scim+json': { schema: { $ref: '#/components/schemas/ScimError' } } },
    });
    expect(UnavailableOAuth).toMatchObject({
      content: { 'application/json': { examples: { UNAVAILABLE: { value: { error: 'temporarily_unavailable' } } } } },
    });
  });

  it('states who may call an operation', () => {
    expect(document.security).toEqual([{ bearer: [] }, { oauth2: [] }]);
    expect(document.paths['/oauth/token']!.post!.security).toEqual([]);
    const { get, delete: remove } = document.paths['/filesvc/api/v1/files/{id}']!;
    expect(get).not.toHaveProperty('security');
    expect(get!['x-permission']).toEqual({ rule: 'resource', action: 'READ', resource: 'filesvc:file' });
    expect(remove!['x-callers']).toEqual(['trusted']);
  });

  it('names each operation once', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is the same each time it is generated', () => {
    expect(JSON.stringify(api([files]))).toBe(JSON.stringify(document));
  });
});

describe('an operation', () => {
  const basics = { summary: 'Do it.', needs: documents({ rule: 'anyone' }), handler };
  const spicy = defineErrors({ tooHot: { status: 400, message: 'It is too hot.', remedy: 'Wait.' } });

  it('lists its errors by their status, with their codes', () => {
    const { put } = only(
      route.put('/', { ...basics, operation: 'a', ifMatch: true, errors: [spicy.tooHot], responses: { 200: null } }),
    );
    expect(put!.responses['400']).toMatchObject({
      description: '`TOO_HOT`: It is too hot.\n\n`BAD_REQUEST`: The request is invalid.',
      content: { 'application/json': { examples: { TOO_HOT: { value: { message: 'It is too hot.' } } } } },
    });
    expect(put!.responses['412']).toEqual({ $ref: '#/components/responses/PreconditionFailed' });
    expect(parametersOf(put!)['If-Match']).toMatchObject({ in: 'header', required: false });
  });

  it('lists the headers of its responses', () => {
    const accepted = { responses: { 202: null }, headers: { 202: [locationHeader] } };
    const { post, get } = only(
      route.post('/', { ...basics, operation: 'a', ...accepted }),
      route.get('/', { ...basics, operation: 'b', etag: () => 1, responses: { 200: z.object({}) } }),
    );
    expect(post!.responses['202']).toMatchObject({
      headers: {
        Location: { required: true, schema: { type: 'string' } },
        Ignored: { $ref: '#/components/headers/Ignored' },
        'Preference-Applied': { $ref: '#/components/headers/Preference-Applied' },
      },
    });
    expect(parametersOf(post!)).toHaveProperty('Idempotency-Key');
    expect(get!.responses).toMatchObject({ 200: { headers: { ETag: {} } }, 304: { headers: { ETag: {} } } });
    expect(Object.keys(parametersOf(get!))).toEqual(['If-Match', 'If-None-Match', 'Prefer']);
  });

  it('marks POSTs that only read and take no key', () => {
    const { post } = only(route.post('/', { ...basics, operation: 'a', reads: true, responses: { 200: null } }));
    expect(post).toMatchObject({ 'x-reads': true });
    expect(Object.keys(parametersOf(post!))).toEqual(['Prefer']);
  });

  it('has no body in the response to a HEAD', () => {
    const { head } = only(route.head('/', { ...basics, operation: 'a', responses: { 200: z.object({}) } }));
    expect(head!.responses['200']).not.toHaveProperty('content');
  });

  it('keeps the examples of the committed document', async () => {
    const put = route.put('/:id', {
      ...basics,
      operation: 'a',
      params: z.object({ id: z.string() }),
      body: z.object({ size: z.number() }),
      responses: { 200: z.object({ size: z.number() }) },
    });
    const [committed, document] = [api([routes('/things', [put])]), api([routes('/things', [put])])];
    const operationOf = ({ paths }: typeof document) => paths['/filesvc/api/v1/things/{id}']!.put!;
    const before = operationOf(committed);
    before.parameters[0]!.example = '7';
    before.requestBody!.content['application/json']!.examples = { a: { value: { size: 1 } } };
    (before.responses['200'] as RouteResponse).content!['application/json']!.examples = { a: { value: { size: 2 } } };
    copyExamples(committed, document);
    await assertValid(document);
    expect(document).toEqual(committed);
  });

  it('may accept the credentials of an app', () => {
    const { post } = only(
      route.post('/', {
        summary: '-',
        handler,
        operation: 'a',
        auth: 'none',
        takesBasic: true,
        responses: { 200: null },
      }),
    );
    expect(post!.security).toEqual([{ basic: [] }, {}]);
  });

  it('has the page and the errors of an operation that may respond with either', () => {
    const page = { contentType: 'text/html', description: 'What is wrong.' };
    const { get } = only(
      route.get('/', {
        operation: 'a',
        summary: '-',
        needs: documents({ rule: 'anyone' }),
        responses: { 200: null, 400: page },
        handler,
      }),
    );
    const { content } = get!.responses['400'] as { content: object };
    expect(Object.keys(content)).toEqual(['application/json', 'text/html']);
  });
});

it('has the schema of a response of another JSON type', () => {
  const response = {
    contentType: 'application/jwk-set+json',
    description: 'Keys.',
    schema: z.object({ keys: z.string() }),
  };
  const { get } = only(
    route.get('/', {
      operation: 'keys',
      summary: '-',
      needs: documents({ rule: 'anyone' }),
      responses: { 200: response },
      handler,
    }),
  );
  expect(get!.responses['200']).toMatchObject({
    description: 'Keys.',
    content: { 'application/jwk-set+json': { schema: { required: ['keys'] } } },
  });
});

describe('operations that share path and method', () => {
  it('are merged: commonly required parts stay required, bodies and responses are alternatives', () => {
    const { post } = api([files]).paths['/filesvc/api/v1/files']!;
    const parameters = parametersOf(post!);
    expect(Object.fromEntries(Object.entries(parameters).map(([name, { required }]) => [name, required]))).toEqual({
      nsfilter: true,
      _name: false,
      uploadType: false,
      'Idempotency-Key': false,
      Prefer: false,
    });
    expect(post!.parameters).toHaveLength(5);
    expect(post!.requestBody).toMatchObject({ required: false });
    expect(Object.keys(post!.requestBody!.content).sort()).toEqual(['application/json', 'multipart/form-data']);
    expect(Object.keys(post!.responses).sort()).toEqual([
      '200',
      '201',
      '400',
      '401',
      '408',
      '409',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    expect(post!.responses['201']).toMatchObject({
      content: {
        'application/json': {
          schema: { anyOf: [{ properties: { _uploadId: { type: 'string' } } }, { type: 'array' }] },
        },
      },
    });
    expect(post!.summary).toBe('Create a folder / Begin an upload / Upload');
  });

  it('keep the errors of all', () => {
    const errors = defineErrors({
      one: { status: 400, message: 'One.', remedy: '-' },
      two: { status: 400, message: 'Two.', remedy: '-' },
    });
    const basics = { summary: '-', needs: documents({ rule: 'anyone' }), responses: { 200: null }, handler };
    const { put } = only(
      route.put('/', { ...basics, operation: 'a', errors: [errors.one] }),
      route.put('/', { ...basics, operation: 'b', errors: [errors.two] }),
      route.put('/', { ...basics, operation: 'c' }),
    );
    expect(put!.responses['400']).toMatchObject({
      description: ['`ONE`: One.', '`BAD_REQUEST`: The request is invalid.', '`TWO`: Two.'].join('\n\n'),
    });
    expect(put!['x-operations']).toEqual(['a', 'b', 'c']);
  });

  it('must declare the same permission', () => {
    const basics = { summary: '-', responses: { 200: null }, handler };
    const describeBoth = () =>
      only(
        route.put('/', { ...basics, operation: 'a', needs: documents({ rule: 'own' }) }),
        route.put('/', { ...basics, operation: 'b', needs: documents({ rule: 'anyone' }) }),
      );
    expect(describeBoth).toThrow('a and its variants declare different permissions');
  });

  it('require a response header only if all of them have it', () => {
    const basics = { summary: '-', needs: documents({ rule: 'anyone' }), responses: { 204: null }, handler };
    const [first, second] = [header('X-First', 'In both.'), header('X-Second', 'In one.')];
    const { put } = only(
      route.put('/', { ...basics, operation: 'a', headers: { 204: [first, second] } }),
      route.put('/', { ...basics, operation: 'b', headers: { 204: [first] } }),
    );
    expect(put!.responses['204']).toMatchObject({
      headers: { 'X-First': { required: true }, 'X-Second': { required: false } },
    });
  });

  it('keep both bodies of one type', () => {
    const basics = { summary: '-', responses: { 200: null }, handler };
    const paths = only(
      route.put('/', {
        ...basics,
        needs: documents({ rule: 'anyone' }),
        operation: 'a',
        body: z.object({ a: z.string() }),
      }),
      route.put('/', {
        ...basics,
        needs: documents({ rule: 'anyone' }),
        operation: 'b',
        body: z.object({ b: z.string() }),
      }),
    );
    const alone = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] });
    const { schema } = paths.put!.requestBody!.content['application/json']!;
    expect(schema).toEqual({ anyOf: [expect.objectContaining(alone('a')), expect.objectContaining(alone('b'))] });
    expect(paths.put!.requestBody!.required).toBe(true);
  });
});
