import { ok, route } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { FILE_TYPE } from '../../domain/files/file.js';
import { ContextQuery, FileParams } from '../files/files.schemas.js';
import { BYTES, describedContent, downloadedContent, DownloadUrl } from './content.schemas.js';
import { getContent, headContent } from './get-content.handler.js';

export const contentRoutes = (deps: Deps): Route[] => [
  route.get('/:id/url', {
    operation: 'content.url',
    summary: 'Get a URL from which anyone can download a file for a while.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, deps.files),
    replies: { 200: DownloadUrl },
    handler: async ({ resource }) => ok(await deps.content.urlOf(resource)),
  }),
  // Before GET, which Express would use for HEAD.
  route.head('/:id/content', {
    operation: 'content.head',
    summary: 'Read size and type of the content of a file.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, deps.files),
    ...describedContent,
    replies: { 200: null, 304: null },
    handler: headContent(deps),
  }),
  route.get('/:id/content', {
    operation: 'content.get',
    summary: 'Download the content of a file, or ranges of it.',
    params: FileParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, deps.files),
    ...downloadedContent,
    replies: { 200: BYTES, 206: BYTES, 304: null },
    handler: getContent(deps),
  }),
];
