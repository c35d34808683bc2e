import { route } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ContextQuery, FileParams } from '../files/files.schemas.js';
import { getContent, headContent } from './get-content.handler.js';

const BYTES = { contentType: 'application/octet-stream', description: 'The bytes as they were uploaded.' };

export const contentRoutes = (deps: Deps): Route[] => [
  // Before GET, which Express would use for HEAD.
  route.head('/:id/content', {
    operation: 'content.head',
    summary: 'Read size and type of the content of a file.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', deps.files),
    replies: { 200: null, 206: null, 304: null },
    handler: headContent(deps),
  }),
  route.get('/:id/content', {
    operation: 'content.get',
    summary: 'Download the content of a file, or a range of it.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', deps.files),
    replies: { 200: BYTES, 206: BYTES, 304: null },
    handler: getContent(deps),
  }),
];
