import type { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import type { Revised } from '@dtplatform/contracts';
import {
  countedPageOf,
  noContent,
  ok,
  okCountedPage,
  pagingOf,
  pagingParameters,
  revision,
  route,
} from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Content } from '../content/content.js';
import { BYTES, describedContent, downloadedContent, DownloadUrl } from '../content/content.routes.js';
import { getContent, headContent } from '../content/get-content.handler.js';
import { errors } from '../errors.js';
import { FILE_TYPE, ShownVersion, showVersion } from '../files/file.js';
import type { File, FileVersion } from '../files/file.js';
import type { Files } from '../files/files.js';
import { ContextQuery, FileParams, MAX_PAGE_SIZE } from '../files/parameters.http.js';
import type { Versions } from './versions.js';

const VersionParams = FileParams.extend({ versionId: ResourceId.describe('The id of the version.') });
type VersionParams = z.infer<typeof VersionParams>;
const ListVersionsQuery = ContextQuery.extend(pagingParameters({ maxSize: MAX_PAGE_SIZE }));
const VersionPage = countedPageOf(ShownVersion).meta({
  id: 'FileVersionPage',
  description: 'A page of versions.',
});

interface Parts {
  files: Files;
  content: Content;
  versions: Versions;
}

/** docs/contract.md, "Versions of a file". */
export const versionRoutes = ({ files, content, versions }: Parts): Route[] => [
  route.get('/:id/versions', {
    operation: 'fileVersions.list',
    summary: 'List the versions of a file, newest first.',
    params: FileParams,
    query: ListVersionsQuery,
    needs: permit('READ', FILE_TYPE, files),
    responses: { 200: VersionPage },
    handler: async ({ resource, query }) => {
      const paging = pagingOf(query);
      return okCountedPage(await versions.list(resource, paging), paging, showVersion);
    },
  }),
  route.get('/:id/versions/:versionId', {
    operation: 'fileVersions.get',
    summary: 'Read a version of a file. Its ETag is that of the file.',
    params: VersionParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    responses: { 200: ShownVersion },
    etag: (version: FileVersion & Revised) => revision(version),
    show: showVersion,
    handler: async ({ resource, params: { versionId } }) => {
      const version = await versions.get(resource, versionId);
      return ok({ ...version, _revision: resource._revision });
    },
  }),
  route.delete('/:id/versions/:versionId', {
    operation: 'fileVersions.delete',
    summary: 'Delete a version of a file. If it is the tip, the latest remaining version becomes the tip.',
    errors: [errors.lastVersion, errors.uploadRunning, errors.uploadTakenOver],
    params: VersionParams,
    query: ContextQuery,
    needs: permit('DELETE', FILE_TYPE, files),
    responses: { 204: null },
    ifMatch: true,
    handler: async ({ resource, params: { versionId }, access, precondition }) => {
      await versions.remove(resource, versionId, access.principal, precondition);
      return noContent();
    },
  }),
  route.get('/:id/versions/:versionId/url', {
    operation: 'fileVersions.url',
    summary: 'Get a temporary URL from which anyone can download a version of a file.',
    params: VersionParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    responses: { 200: DownloadUrl },
    handler: async (context) => ok(await content.urlOf(await fileOf(versions, context))),
  }),
  // Before GET, which Express would call for HEAD.
  route.head('/:id/versions/:versionId/content', {
    operation: 'fileVersions.headContent',
    summary: 'Read the size and type of the content of a version of a file.',
    params: VersionParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    ...describedContent,
    responses: { 200: null, 304: null },
    handler: async (context) => headContent(content)({ ...context, resource: await fileOf(versions, context) }),
  }),
  route.get('/:id/versions/:versionId/content', {
    operation: 'fileVersions.content',
    summary: 'Download the content of a version of a file, or ranges of it.',
    params: VersionParams,
    query: ContextQuery,
    needs: permit('READ', FILE_TYPE, files),
    ...downloadedContent,
    responses: { 200: BYTES, 206: BYTES, 304: null },
    handler: async (context) => getContent(content)({ ...context, resource: await fileOf(versions, context) }),
  }),
];

interface VersionContext {
  resource: File;
  params: VersionParams;
}

/** The file with this version as its tip. */
const fileOf = (versions: Versions, { resource, params: { versionId } }: VersionContext) =>
  versions.fileAt(resource, versionId);
