import { ResourceId } from '@dtplatform/contracts';
import { ok, route } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { DownloadUrl } from '../content/content.routes.js';
import { FILE_TYPE } from '../files/file.js';
import type { Files } from '../files/files.js';
import { ContextQuery, FileParams } from '../files/parameters.http.js';
import type { Previews } from './previews.js';

const PreviewParams = FileParams.extend({ previewId: ResourceId.describe('The id of the preview.') });

interface Parts {
  files: Files;
  previews: Previews;
}

export const previewRoutes = ({ files, previews }: Parts): Route[] => [
  route.get('/:id/previews/:previewId/url', {
    operation: 'previews.url',
    summary: 'Get a download URL for a preview.',
    params: PreviewParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    responses: { 200: DownloadUrl },
    handler: async ({ resource, params: { previewId } }) => ok(await previews.urlOf(resource, previewId)),
  }),
];
