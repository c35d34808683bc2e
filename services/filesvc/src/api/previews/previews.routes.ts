import { ok, route } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { FILE_TYPE } from '../../domain/files/file.js';
import { DownloadUrl } from '../content/content.schemas.js';
import { ContextQuery } from '../files/files.schemas.js';
import { PreviewParams } from './previews.schemas.js';

export const previewRoutes = (deps: Deps): Route[] => [
  route.get('/:id/previews/:previewId/url', {
    operation: 'previews.url',
    summary: 'Get a URL to download a preview from.',
    params: PreviewParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, deps.files),
    replies: { 200: DownloadUrl },
    handler: async ({ resource, params: { previewId } }) => ok(await deps.previews.urlOf(resource, previewId)),
  }),
];
