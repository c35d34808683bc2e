import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import supertest from 'supertest';
import { z } from 'zod';
import {
  booleanParameter,
  createHttpApp,
  listParameter,
  nsfilter,
  oauthErrors,
  ok,
  pageOf,
  pagingParameters,
  route,
  routes,
  scimErrors,
} from '@dtplatform/http';
import type { Route, RouteTable } from '@dtplatform/http';
import { silentLogger } from '@dtplatform/logging';
import { describeApi, openApiTable } from '../src/index.js';
import type { OpenApiDocument } from '../src/index.js';

const handler = async () => ok({});
const File = z.object({ _id: z.string(), _size: z.number().optional(), _createdAt: z.string().transform(Number) });

const files = routes('/files', [
  route.get('/', {
    operation: 'files.list',
    summary: 'List.',
    query: z.object({
      ...pagingParameters({ maxSize: 200 }),
      nsfilter,
      withUrl: booleanParameter.optional(),
      _ids: listParameter().optional().describe('Ids.'),
    }),
    replies: { 200: pageOf(File) },
    handler,
  }),
  route.post('/', {
    operation: 'files.createFolder',
    summary: 'Create a folder.',
    query: z.object({ nsfilter, _name: z.string() }),
    when: ({ query }) => '_name' in query,
    replies: { 200: File },
    handler,
  }),
  route.post('/', {
    operation: 'files.initiate',
    summary: 'Begin an upload',
    query: z.object({ nsfilter, uploadType: z.literal('resumable') }),
    when: ({ query }) => 'uploadType' in query,
    body: z.object({ _name: z.string(), _size: z.number() }),
    replies: { 201: z.object({ _uploadId: z.string() }) },
    handler,
  }),
  route.post('/', {
    operation: 'files.upload',
    summary: 'Upload',
    query: z.object({ nsfilter }),
    streamedBody: 'multipart/form-data',
    replies: { 201: z.array(File) },
    handler,
  }),
  route.get('/:id', {
    operation: 'files.get',
    summary: 'Get.',
    params: z.object({ id: z.string().regex(/^[0-9a-f]{24}$/) }),
    needs: { action: 'READ', check: async () => undefined },
    replies: { 200: File },
    handler,
  }),
  route.get('/:id/content/', {
    operation: 'files.content',
    summary: 'Download.',
    replies: {
      200: { contentType: '*/*', description: 'The bytes.' },
      206: { contentType: '*/*', description: 'Some.' },
    },
    handler,
  }),
  route.delete('/:id', {
    operation: 'files.delete',
    summary: 'Delete.',
    callers: ['trusted'],
    replies: { 204: null },
    handler,
  }),
  route.get('/:id/sizes;:dimensions', {
    operation: 'files.sizes',
    summary: 'Sizes.',
    replies: { 200: z.number() },
    handler,
  }),
]);
const scim = routes('/Users', [
  route.post('/', {
    operation: 'users.create',
    summary: 'Create.',
    body: z.unknown(),
    replies: { 201: z.unknown() },
    handler,
  }),
]);
const oauth = routes('/token', [
  route.post('/', {
    operation: 'oauth.token',
    summary: 'Token.',
    auth: 'none',
    replies: { 200: z.unknown() },
    handler,
  }),
]);

interface Tree {
  name: string;
  children: Tree[];
}
const Tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Shared = z.object({ street: z.string() });

const api = (tables: RouteTable[]) =>
  describeApi({
    title: 'Files',
    description: 'Stores files.',
    mounts: [
      { prefix: '/filesvc/api/v1', tables },
      { prefix: '/auth/scim', tables: [scim], errorFormat: scimErrors },
      { prefix: '/oauth', tables: [{ ...oauth, errorFormat: oauthErrors }] },
    ],
  });
const only = (...list: Route[]) => api([routes('/things', list)]).paths['/filesvc/api/v1/things']!;

/** The verdict of an independent OpenAPI parser on the document and its references. */
async function assertValid(document: OpenApiDocument): Promise<void> {
  const text = JSON.stringify(document);
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text) as Record<string, unknown>)).toEqual({ valid: true });
  expect(validator.resolveRefs()).toBeDefined();
  for (const [, reference] of text.matchAll(/"\$ref":"([^"]*)"/g)) {
    const found = reference!
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], JSON.parse(text));
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
}
const parametersOf = (operation: { parameters?: object[] }) =>
  Object.fromEntries(
    (operation.parameters as { name: string; in: string; required: boolean }[]).map((each) => [each.name, each]),
  );

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

  it('describes the schema of a path parameter where the operation declares one', () => {
    const { get, delete: remove } = document.paths['/filesvc/api/v1/files/{id}']!;
    expect(parametersOf(get!).id).toMatchObject({
      required: true,
      schema: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    });
    expect(parametersOf(remove!).id).toMatchObject({ required: true, schema: { type: 'string' } });
  });

  it('describes each query parameter as callers send it', () => {
    const parameters = parametersOf(document.paths['/filesvc/api/v1/files']!.get!);
    expect(parameters).toMatchObject({
      _offset: { in: 'query', required: false },
      _pageSize: { in: 'query', required: false },
      nsfilter: { in: 'query', required: true, schema: { type: 'string' } },
      withUrl: { required: false, schema: { enum: ['true', 'false'] } },
      _ids: { required: false, schema: { description: 'Ids.' } },
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
    const schemaOf = (path: string) => JSON.stringify(document.paths[path]!.post!.responses.default);
    expect(schemaOf('/filesvc/api/v1/files')).toContain(
      '"application/json":{"schema":{"$ref":"#/components/schemas/Error"',
    );
    expect(schemaOf('/auth/scim/Users')).toContain(
      '"application/scim+json":{"schema":{"$ref":"#/components/schemas/ScimError"',
    );
    expect(schemaOf('/oauth/token')).toContain('#/components/schemas/OAuthError');
  });

  it('states who may call', () => {
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(document.paths['/oauth/token']!.post!.security).toEqual([]);
    const { get, delete: remove } = document.paths['/filesvc/api/v1/files/{id}']!;
    expect(get).not.toHaveProperty('security');
    expect(get!['x-permission']).toBe('READ');
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

describe('operations that share path and method', () => {
  it('are merged: what all require is required, bodies and responses are alternatives', () => {
    const { post } = api([files]).paths['/filesvc/api/v1/files']!;
    const parameters = parametersOf(post!);
    expect(Object.fromEntries(Object.entries(parameters).map(([name, { required }]) => [name, required]))).toEqual({
      nsfilter: true,
      _name: false,
      uploadType: false,
    });
    expect(post!.parameters).toHaveLength(3);
    expect(post!.requestBody).toMatchObject({ required: false });
    expect(Object.keys(post!.requestBody!.content).sort()).toEqual(['application/json', 'multipart/form-data']);
    expect(Object.keys(post!.responses).sort()).toEqual(['200', '201', 'default']);
    const both = JSON.stringify(post!.responses['201']);
    expect(both).toContain('_uploadId');
    expect(both).toContain('"type":"array"');
    expect(post!.summary).toBe('Create a folder / Begin an upload / Upload');
  });

  it('keep both bodies of the same type', async () => {
    const basics = { summary: '-', replies: { 200: null }, handler };
    const paths = only(
      route.put('/', { ...basics, operation: 'a', body: z.object({ a: z.string() }) }),
      route.put('/', { ...basics, operation: 'b', body: z.object({ b: z.string() }) }),
    );
    const body = JSON.stringify(paths.put!.requestBody);
    expect(body).toContain('"a"');
    expect(body).toContain('"b"');
    expect(paths.put!.requestBody!.required).toBe(true);
  });
});

describe('schemas', () => {
  it('may be recursive and be used twice', async () => {
    const basics = { operation: 'tree', summary: '-', handler };
    const document = api([
      routes('/trees', [
        route.post('/', { ...basics, body: Tree, replies: { 200: z.array(Tree), 201: z.json() } }),
        route.put('/', {
          ...basics,
          operation: 'tree.put',
          body: z.object({ tree: Tree, a: Shared, b: Shared }),
          replies: { 200: z.json() },
        }),
      ]),
    ]);
    await assertValid(document);
  });

  it('of a query may be validated as a whole', () => {
    const query = z.object({ from: z.string(), to: z.string().optional() }).refine(({ from, to }) => from !== to);
    const paths = only(route.get('/', { operation: 'q', summary: '-', query, replies: { 200: null }, handler }));
    expect(parametersOf(paths.get!)).toMatchObject({ from: { required: true }, to: { required: false } });
  });
});

describe('openapi.json', () => {
  it('is served without authentication', async () => {
    const document = api([files]);
    const app = createHttpApp({
      mounts: [{ prefix: '/filesvc/api/v1', tables: [openApiTable(document)] }],
      authenticate: () => Promise.reject(new Error('nobody is asked')),
      log: silentLogger(),
    });
    const reply = await supertest(app).get('/filesvc/api/v1/openapi.json').expect(200);
    expect(reply.body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(reply.headers['content-type']).toContain('application/json');
  });
});
