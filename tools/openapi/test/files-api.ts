import { z } from 'zod';
import {
  booleanParameter,
  documents,
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
import { describeApi } from '../src/index.js';

export const handler = async () => ok({});
const File = z.object({ _id: z.string(), _size: z.number().optional(), _createdAt: z.string().transform(Number) });

export const files = routes('/files', [
  route.get('/', {
    operation: 'files.list',
    needs: documents({ rule: 'anyone' }),
    summary: 'List.',
    query: z.object({
      ...pagingParameters({ maxSize: 200 }),
      nsfilter,
      withUrl: booleanParameter.optional(),
      _ids: listParameter().optional().describe('Ids.'),
    }),
    responses: { 200: pageOf(File) },
    handler,
  }),
  route.post('/', {
    operation: 'files.createFolder',
    needs: documents({ rule: 'anyone' }),
    summary: 'Create a folder.',
    query: z.object({ nsfilter, _name: z.string() }),
    when: ({ query }) => '_name' in query,
    responses: { 200: File },
    handler,
  }),
  route.post('/', {
    operation: 'files.initiate',
    needs: documents({ rule: 'anyone' }),
    summary: 'Begin an upload',
    query: z.object({ nsfilter, uploadType: z.literal('resumable') }),
    when: ({ query }) => 'uploadType' in query,
    body: z.object({ _name: z.string(), _size: z.number() }),
    responses: { 201: z.object({ _uploadId: z.string() }) },
    handler,
  }),
  route.post('/', {
    operation: 'files.upload',
    needs: documents({ rule: 'anyone' }),
    summary: 'Upload',
    query: z.object({ nsfilter }),
    streamedBody: 'multipart/form-data',
    responses: { 201: z.array(File) },
    handler,
  }),
  route.get('/:id', {
    operation: 'files.get',
    summary: 'Get.',
    params: z.object({ id: z.string().regex(/^[0-9a-f]{24}$/) }),
    needs: documents({ rule: 'resource', action: 'READ', resource: 'filesvc:file' }),
    responses: { 200: File },
    handler,
  }),
  route.get('/:id/content/', {
    operation: 'files.content',
    needs: documents({ rule: 'anyone' }),
    summary: 'Download.',
    responses: {
      200: { contentType: '*/*', description: 'The bytes.' },
      206: { contentType: '*/*', description: 'Some.' },
    },
    handler,
  }),
  route.delete('/:id', {
    operation: 'files.delete',
    summary: 'Delete.',
    callers: ['trusted'],
    responses: { 204: null },
    handler,
  }),
  route.get('/:id/sizes;:dimensions', {
    operation: 'files.sizes',
    needs: documents({ rule: 'anyone' }),
    summary: 'Sizes.',
    responses: { 200: z.number() },
    handler,
  }),
]);
const scim = routes('/Users', [
  route.post('/', {
    operation: 'users.create',
    needs: documents({ rule: 'anyone' }),
    summary: 'Create.',
    body: z.unknown(),
    responses: { 201: z.unknown() },
    handler,
  }),
]);
const oauth = routes('/token', [
  route.post('/', {
    operation: 'oauth.token',
    summary: 'Token.',
    auth: 'none',
    responses: { 200: z.unknown() },
    handler,
  }),
]);

export const api = (tables: RouteTable[]) =>
  describeApi({
    title: 'Files',
    description: 'Stores files.',
    mounts: [
      { prefix: '/filesvc/api/v1', tables },
      { prefix: '/auth/scim', tables: [scim], errorFormat: scimErrors },
      { prefix: '/oauth', tables: [{ ...oauth, errorFormat: oauthErrors }] },
    ],
  });
export const only = (...list: Route[]) => api([routes('/things', list)]).paths['/filesvc/api/v1/things']!;
