import { z } from 'zod';
import {
  created,
  documents,
  noContent,
  nsfilter,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { RequestContext, RouteTable } from '@dtplatform/http';
import { permit, permitCreate } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { FILE_SET_TYPE, FileSet, NewFileSet, showFileSet, ShownFileSet } from './file-set.js';
import type { FileSets } from './file-sets.js';

const ContextQuery = z.object({ nsfilter });
const ListFileSetsQuery = ContextQuery.extend(pagingParameters());
const FileSetParams = z.object({ id: FileSet.shape._id });
const FileSetPage = pageOf(ShownFileSet).meta({ id: 'FileSetPage', description: 'A page of file sets.' });

type Create = RequestContext<unknown, z.infer<typeof ContextQuery>, NewFileSet>;

/** docs/contract.md, "File sets". */
export const fileSetRoutes = ({ fileSets }: { fileSets: FileSets }): RouteTable =>
  routes('/filesets', [
    route.post('/', {
      operation: 'filesets.create',
      summary: 'Create a set of files that are shown together.',
      description: 'The caller gets all permissions on it.',
      errors: [errors.namespaceNotListed, errors.fileNotFound],
      query: ContextQuery,
      body: NewFileSet,
      needs: permitCreate(FILE_SET_TYPE, ({ body }: Create) => [body]),
      responses: { 201: ShownFileSet },
      etag: revision,
      show: showFileSet,
      again: async (id, { query, access }) => access.require('READ', await fileSets.find(id, query.nsfilter)),
      handler: async ({ body, query, access }) => created(await fileSets.create(body, query.nsfilter, access)),
    }),
    route.get('/', {
      operation: 'filesets.list',
      summary: 'List the file sets of a namespace that the caller may read.',
      needs: documents({ rule: 'filter', action: 'READ', resource: FILE_SET_TYPE }),
      query: ListFileSetsQuery,
      responses: { 200: FileSetPage },
      handler: async ({ query, access }) => {
        const paging = pagingOf(query);
        return okPage(await fileSets.list(query.nsfilter, paging, access), paging, showFileSet);
      },
    }),
    route.get('/:id', {
      operation: 'filesets.get',
      summary: 'Read a file set.',
      params: FileSetParams,
      query: ContextQuery,
      needs: permit('READ', FILE_SET_TYPE, fileSets),
      responses: { 200: ShownFileSet },
      etag: revision,
      show: showFileSet,
      handler: async ({ resource }) => ok(resource),
    }),
    route.delete('/:id', {
      operation: 'filesets.delete',
      summary: 'Delete a file set. Its files are kept.',
      description:
        'With DELETE in the namespace in which it was created, it is deleted from all its namespaces; otherwise, it is only removed from the namespace of the call.',
      params: FileSetParams,
      query: ContextQuery,
      needs: permit('DELETE', FILE_SET_TYPE, fileSets),
      responses: { 204: null },
      ifMatch: true,
      handler: async ({ resource, query: { nsfilter }, access, precondition }) => {
        await fileSets.remove(resource, nsfilter, access, precondition);
        return noContent();
      },
    }),
  ]);
