import { z } from 'zod';
import { documents, nsfilter, ok, optionalHeader, route, routes } from '@dtplatform/http';
import type { Route, RouteTable } from '@dtplatform/http';
import { errors } from '../errors.js';
import { Load, LoadRequest, showLoad, ShownLoad } from './load.js';
import type { Loads } from './loads.js';

const MAX_FILES = 1_000;

const LoadFilesQuery = z.object({ nsfilter });
const LoadFilesBody = z.array(LoadRequest).min(1).max(MAX_FILES);

const FileParams = z.object({ fileId: Load.shape._fileId });
const GetLoadQuery = z.object({
  nsfilter,
  _fileVersionId: LoadRequest.shape._fileVersionId.describe(
    'The id of the version; by default, the one last requested as the latest whose load did not fail.',
  ),
});

/** Clients of the file store may also send the token in the `Authentication` header. */
const tokenInEitherHeader = {
  tokenHeader: 'authentication',
  requestHeaders: [
    optionalHeader('Authentication', 'The access token, from clients that do not send `Authorization`.'),
  ],
};

interface Parts {
  loads: Loads;
}

/** filesvc decides which files the caller may read. */
const filesReadable = documents({ rule: 'resource', action: 'READ', resource: 'filesvc:file' });

const loadRoute = (operation: string, { loads }: Parts, aliasOf?: string): Route =>
  route.put('/', {
    operation,
    aliasOf,
    summary: 'Load graphics files into the store.',
    description:
      'All loads are queued, or none if a file or version does not exist or the caller may not read it. ' +
      'Only files with the tag `#invgraphicsfile#` are loaded.',
    errors: [errors.fileNotFound],
    needs: filesReadable,
    ...tokenInEitherHeader,
    query: LoadFilesQuery,
    body: LoadFilesBody,
    responses: { 200: null },
    handler: async ({ body, query, access }) => {
      await loads.request(body, { token: access.principal.token, namespace: query.nsfilter });
      return { status: 200 };
    },
  });

const statusRoute = (operation: string, { loads }: Parts, aliasOf?: string): Route =>
  route.get('/:fileId', {
    operation,
    aliasOf,
    summary: 'Read the status of the load of a file.',
    errors: [errors.fileNotFound],
    needs: filesReadable,
    ...tokenInEitherHeader,
    params: FileParams,
    query: GetLoadQuery,
    responses: { 200: ShownLoad },
    handler: async ({ params: { fileId: _fileId }, query: { nsfilter: namespace, _fileVersionId }, access }) => {
      const caller = { token: access.principal.token, namespace };
      return ok(showLoad(await loads.get({ _fileId, _fileVersionId }, caller)));
    },
  });

export const filestoreRoutes = (parts: Parts): RouteTable =>
  routes('/filestore', [loadRoute('filestore.load', parts), statusRoute('filestore.get', parts)]);

/** Some clients write `vi` for `v1`. */
export const writtenAsViRoutes = (parts: Parts): RouteTable =>
  routes('/filestore', [
    loadRoute('filestore.loadWrittenAsVi', parts, 'filestore.load'),
    statusRoute('filestore.getWrittenAsVi', parts, 'filestore.get'),
  ]);
