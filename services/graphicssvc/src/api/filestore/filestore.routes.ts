import { documents, ok, optionalHeader, route, routes } from '@dtplatform/http';
import type { Route, RouteTable } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showLoad, ShownLoad } from '../../domain/filestore/load.js';
import { errors } from '../../errors.js';
import { FileParams, GetLoadQuery, LoadFilesBody, LoadFilesQuery } from './filestore.schemas.js';

/** Clients of the file store may send the token in the header `Authentication` as well. */
const tokenInEitherHeader = {
  tokenHeader: 'authentication',
  requestHeaders: [
    optionalHeader('Authentication', 'The access token, from clients that do not send `Authorization`.'),
  ],
};

/** filesvc says which files the caller may read. */
const filesReadable = documents({ rule: 'resource', action: 'READ', resource: 'filesvc:file' });

const loadRoute = (operation: string, { loads }: Deps, aliasOf?: string): Route =>
  route.put('/', {
    operation,
    aliasOf,
    summary: 'Load graphics files into the store.',
    description:
      'The reply means that all loads are queued; if one of the files does not exist or has no such version, or the caller may not read it, none is. ' +
      'Only files with the tag `#invgraphicsfile#` are loaded.',
    errors: [errors.fileNotFound],
    needs: filesReadable,
    ...tokenInEitherHeader,
    query: LoadFilesQuery,
    body: LoadFilesBody,
    replies: { 200: null },
    handler: async ({ body, query, access }) => {
      await loads.request(body, { token: access.principal.token, namespace: query.nsfilter });
      return { status: 200 };
    },
  });

const statusRoute = (operation: string, { loads }: Deps, aliasOf?: string): Route =>
  route.get('/:fileId', {
    operation,
    aliasOf,
    summary: 'Read the status of the load of a file.',
    errors: [errors.fileNotFound],
    needs: filesReadable,
    ...tokenInEitherHeader,
    params: FileParams,
    query: GetLoadQuery,
    replies: { 200: ShownLoad },
    handler: async ({ params: { fileId: _fileId }, query: { nsfilter: namespace, _fileVersionId }, access }) => {
      const caller = { token: access.principal.token, namespace };
      return ok(showLoad(await loads.get({ _fileId, _fileVersionId }, caller)));
    },
  });

export const filestoreRoutes = (deps: Deps): RouteTable =>
  routes('/filestore', [loadRoute('filestore.load', deps), statusRoute('filestore.get', deps)]);

/** Clients write the path with `vi`. */
export const writtenAsViRoutes = (deps: Deps): RouteTable =>
  routes('/filestore', [
    loadRoute('filestore.loadWrittenAsVi', deps, 'filestore.load'),
    statusRoute('filestore.getWrittenAsVi', deps, 'filestore.get'),
  ]);
