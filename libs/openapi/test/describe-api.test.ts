import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { z } from 'zod';
import { anyone, createHttpApp, route } from '@dtplatform/http';
import { silentLogger } from '@dtplatform/logging';
import { openApiTable } from '../src/index.js';
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
      route.put('/', { ...basics, needs: anyone, operation: 'a', body: z.object({ a: z.string() }) }),
      route.put('/', { ...basics, needs: anyone, operation: 'b', body: z.object({ b: z.string() }) }),
    );
    const body = JSON.stringify(paths.put!.requestBody);
    expect(body).toContain('"a"');
    expect(body).toContain('"b"');
    expect(paths.put!.requestBody!.required).toBe(true);
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
