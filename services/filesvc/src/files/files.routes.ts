import { AppError, commonErrors } from '@dtplatform/errors';
import {
  accepted,
  documents,
  locationHeader,
  noContent,
  ok,
  okCountedPage,
  pagingOf,
  revision,
  route,
  routes,
} from '@dtplatform/http';
import type { Handler, RouteResponse, RequestContext, Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Access, Resources } from '@dtplatform/permissions';
import { contentRoutes } from '../content/content.routes.js';
import { errors } from '../errors.js';
import { previewRoutes } from '../previews/previews.routes.js';
import type { Trees } from '../trees/trees.js';
import { uploadRoutes } from '../uploads/uploads.routes.js';
import { versionRoutes } from '../versions/versions.routes.js';
import { FILE_TYPE, showFile, ShownFile } from './file.js';
import type { File } from './file.js';
import type { Files } from './files.js';
import {
  ContextQuery,
  CreateFolderQuery,
  DeleteFilesQuery,
  FilePage,
  FileParams,
  invalidFilters,
  ListChildrenQuery,
  ListFilesQuery,
  misplaced,
  unremovable,
  UpdateFileBody,
  UpdateFileParams,
  UploadForm,
  UploadFormQuery,
} from './parameters.http.js';
import { digestForm, isForm, uploadForm } from './upload-form.handler.js';

const oneFile = { responses: { 200: ShownFile }, etag: revision, show: showFile };

type Parts = Parameters<typeof uploadForm>[0] &
  Parameters<typeof uploadRoutes>[0] &
  Parameters<typeof previewRoutes>[0] &
  Parameters<typeof versionRoutes>[0] & { trees: Trees };

/** Resumable uploads share paths with other routes, so they come first. */
export const fileRoutes = (parts: Parts) =>
  routes('/files', [
    ...uploadRoutes(parts),
    ...contentRoutes(parts),
    ...versionRoutes(parts),
    ...previewRoutes(parts),
    ...creationRoutes(parts),
    route.get('/', {
      operation: 'files.list',
      summary: 'List files and folders.',
      errors: invalidFilters,
      needs: documents({ rule: 'filter', action: 'READ', resource: FILE_TYPE }),
      query: ListFilesQuery,
      responses: { 200: FilePage },
      handler: listFiles(parts),
    }),
    route.get('/:id/children', {
      operation: 'files.children',
      summary: 'List the contents of a folder.',
      errors: invalidFilters,
      params: FileParams,
      query: ListChildrenQuery,
      needs: permit('READ', FILE_TYPE, parts.files),
      responses: { 200: FilePage },
      handler: listChildren(parts),
    }),
    // Shares path and method with the progress of an upload. Before GET, which Express would call for HEAD.
    route.head('/:id', {
      operation: 'files.head',
      summary: 'Read the headers of a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permit('READ', FILE_TYPE, parts.files),
      ...oneFile,
      handler: async ({ resource }) => ok(resource),
    }),
    route.get('/:id', {
      operation: 'files.get',
      summary: 'Read a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permit('READ', FILE_TYPE, parts.files),
      ...oneFile,
      handler: async ({ resource }) => ok(resource),
    }),
    route.put('/:id', {
      operation: 'files.update',
      summary: 'Rename a file or folder, replace its tags and move it to other folders.',
      errors: [...misplaced, errors.fileNotFound, errors.folderCycle, errors.folderTooLarge],
      params: UpdateFileParams,
      query: ContextQuery,
      body: UpdateFileBody,
      needs: permit('EDIT', FILE_TYPE, missingIsBadRequest(parts.files)),
      ...oneFile,
      ifMatch: true,
      handler: async ({ resource, body: { _name: name, _tags: tags, _parents: parents }, access, precondition }) =>
        ok(await parts.files.update(resource, { name, tags, parents }, access, precondition)),
    }),
    ...deletionRoutes(parts),
  ]);

const deletionRoutes = (parts: Parts): Route[] => [
  route.delete('/:id', {
    operation: 'files.delete',
    summary: 'Delete a file with all its versions, or a folder with all its contents.',
    errors: unremovable,
    headers: { 202: [locationHeader] },
    params: FileParams,
    query: ContextQuery,
    needs: permit('DELETE', FILE_TYPE, parts.files),
    responses: { 204: null, 202: null },
    ifMatch: true,
    handler: async ({ resource, query: { nsfilter: context }, access, precondition }) =>
      removed(await parts.trees.remove([resource], { context, access, precondition })),
  }),
  route.delete('/', {
    operation: 'files.deleteMany',
    summary: 'Delete several files and folders with all their contents, or none of them.',
    errors: [...unremovable, errors.fileNotFound],
    headers: { 202: [locationHeader] },
    query: DeleteFilesQuery,
    needs: documents({ rule: 'resource', action: 'DELETE', resource: FILE_TYPE }),
    responses: { 204: null, 202: null },
    handler: async ({ query: { _ids, nsfilter }, access }) =>
      removed(await parts.trees.removeMany(_ids, nsfilter, access)),
  }),
];

/** @param taskId of a removal that the worker finishes */
const removed = (taskId: string | undefined) =>
  taskId === undefined ? noContent() : accepted(`/filesvc/api/v1/asynctasks/${taskId}`);

/**
 * The replayed files must still be readable.
 * @throws 404
 */
const again =
  ({ files }: Pick<Parts, 'files'>) =>
  async (id: string, { query, access }: Pick<RequestContext<unknown, { nsfilter: string }>, 'query' | 'access'>) =>
    files.require(access, 'READ', await files.find(id), query.nsfilter);

const creationRoutes = (parts: Parts): Route[] => [
  route.post('/', {
    operation: 'files.upload',
    summary: 'Upload files as parts named `file` of a form.',
    description: 'If a file with this name exists in the folder and namespace, it gets a new version.',
    errors: [...misplaced, errors.brokenForm, errors.formLimit, errors.noFile, errors.fileTooLarge, errors.uploadCut],
    needs: documents({ rule: 'all', action: 'CREATE', resource: FILE_TYPE }),
    when: isForm,
    query: UploadFormQuery,
    streamedBody: 'multipart/form-data',
    shownBody: UploadForm,
    digestBody: digestForm(parts),
    responses: { 201: ShownFile.array() },
    show: (files) => files.map(showFile),
    again: again(parts),
    handler: uploadForm(parts),
  }),
  route.post('/', {
    operation: 'files.createFolder',
    summary: 'Create a folder.',
    errors: misplaced,
    needs: documents({ rule: 'all', action: 'CREATE', resource: FILE_TYPE }),
    query: CreateFolderQuery,
    ...oneFile,
    again: again(parts),
    handler: async ({ query, access }) => {
      const { nsfilter, _name: name, _namespaces: namespaces, _parents: parents, _tags: tags } = query;
      return ok(await parts.files.createFolder({ name, namespaces, parents, tags }, nsfilter, access));
    },
  }),
];

type Lists = Pick<Parts, 'files' | 'content'>;

const listFiles =
  (parts: Lists): Handler<{ query: ListFilesQuery }> =>
  ({ query, access }) =>
    list(parts, query, access);

const listChildren =
  (parts: Lists): Handler<{ params: FileParams; query: ListChildrenQuery }> =>
  ({ query, params, access }) =>
    list(parts, { ...query, _parents: [params.id] }, access);

async function list(
  { files, content }: Lists,
  query: ListChildrenQuery & Partial<ListFilesQuery>,
  access: Access,
): Promise<RouteResponse> {
  const { nsfilter, withUrl } = query;
  const paging = pagingOf(query);
  const filters = { ids: query._ids, name: query._name, tags: query._tags, parents: query._parents };
  const request = { context: nsfilter, namespaces: query._namespaces, status: query._status, ...filters };
  const { list: found, total } = await files.list(request, paging, access);
  const shown = withUrl ? await Promise.all(found.map((file) => content.showWithUrl(file))) : found.map(showFile);
  return okCountedPage({ list: shown, total }, paging);
}

/** Missing and hidden files are a 400 (docs/contract.md, "PUT /files/{id}"). */
const missingIsBadRequest = (files: Files): Required<Resources<File>> => ({
  find: (id) => files.find(id),
  require: (...call) =>
    files.require(...call).catch((error: unknown) => {
      throw isNotFound(error) ? errors.fileNotFound({ cause: error }) : error;
    }),
});

const isNotFound = (error: unknown) => error instanceof AppError && error.code === commonErrors.notFound().code;
