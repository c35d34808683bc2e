import { route, routes } from '@dtplatform/http';
import type { Route, RouteTable } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { FileParams, Load, LoadFilesBody, LoadFilesQuery, LoadStatusQuery } from './filestore.schemas.js';
import { getLoad } from './get-load.handler.js';
import { loadFiles } from './load-files.handler.js';

/** The contract's file store takes the token in the header `Authentication` as well. */
const tokenHeader = 'authentication';

const loadRoute = (operation: string, deps: Deps): Route =>
  route.put('/', {
    operation,
    summary: 'Load graphics files into the store.',
    tokenHeader,
    query: LoadFilesQuery,
    body: LoadFilesBody,
    replies: { 200: null },
    handler: loadFiles(deps),
  });

export const filestoreRoutes = (deps: Deps): RouteTable =>
  routes('/filestore', [
    loadRoute('filestore.load', deps),
    route.get('/:fileId', {
      operation: 'filestore.get',
      summary: 'Read how far the load of a file is.',
      tokenHeader,
      params: FileParams,
      query: LoadStatusQuery,
      replies: { 200: Load },
      handler: getLoad(deps),
    }),
  ]);

/** The contract writes the path of this one call with `vi`. */
export const writtenAsViRoutes = (deps: Deps): RouteTable =>
  routes('/filestore', [loadRoute('filestore.loadWrittenAsVi', deps)]);
