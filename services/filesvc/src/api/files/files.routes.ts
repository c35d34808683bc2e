import { accepted, documents, locationHeader, noContent, ok, revision, route, routes } from '@dtplatform/http';
import type { RequestContext, Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { FILE_TYPE, ShownFile, showFile } from '../../domain/files/file.js';
import { errors } from '../../errors.js';
import { contentRoutes } from '../content/content.routes.js';
import { previewRoutes } from '../previews/previews.routes.js';
import { uploadRoutes } from '../uploads/uploads.routes.js';
import { versionRoutes } from '../versions/versions.routes.js';
import {
  ContextQuery,
  CreateFolderQuery,
  DeleteFilesQuery,
  FilePage,
  FileParams,
  ListChildrenQuery,
  ListFilesQuery,
  UpdateFileBody,
  UpdateFileParams,
  UploadForm,
  UploadFormQuery,
} from './files.schemas.js';
import { digestForm } from './form-digest.js';
import { invalidFilters, misplaced, unremovable } from './files.errors.js';
import { listChildren, listFiles } from './list-files.handler.js';
import { missingIsBadRequest } from './missing-is-bad-request.js';
import { isForm, uploadForm } from './upload-form.handler.js';

/** The reply with one whole file. */
const oneFile = { replies: { 200: ShownFile }, etag: revision, show: showFile };

/** Everything below /files. Resumable uploads share paths with other routes, so they come first. */
export const fileRoutes = (deps: Deps) =>
  routes('/files', [
    ...uploadRoutes(deps),
    ...contentRoutes(deps),
    ...versionRoutes(deps),
    ...previewRoutes(deps),
    ...creationRoutes(deps),
    route.get('/', {
      operation: 'files.list',
      summary: 'List files and folders.',
      errors: invalidFilters,
      needs: documents({ rule: 'filter', action: 'READ', resource: FILE_TYPE }),
      query: ListFilesQuery,
      replies: { 200: FilePage },
      handler: listFiles(deps),
    }),
    route.get('/:id/children', {
      operation: 'files.children',
      summary: 'List what is in a folder.',
      errors: invalidFilters,
      params: FileParams,
      query: ListChildrenQuery,
      needs: permit('READ', FILE_TYPE, deps.files),
      replies: { 200: FilePage },
      handler: listChildren(deps),
    }),
    // Shares its path and method with the progress of an upload. Before GET, which Express would use for HEAD.
    route.head('/:id', {
      operation: 'files.head',
      summary: 'Read the headers of a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permit('READ', FILE_TYPE, deps.files),
      ...oneFile,
      handler: async ({ resource }) => ok(resource),
    }),
    route.get('/:id', {
      operation: 'files.get',
      summary: 'Read a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permit('READ', FILE_TYPE, deps.files),
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
      needs: permit('EDIT', FILE_TYPE, missingIsBadRequest(deps.files)),
      ...oneFile,
      ifMatch: true,
      handler: async ({ resource, body: { _name: name, _tags: tags, _parents: parents }, access, precondition }) =>
        ok(await deps.files.update(resource, { name, tags, parents }, access, precondition)),
    }),
    ...deletionRoutes(deps),
  ]);

const deletionRoutes = (deps: Deps): Route[] => [
  route.delete('/:id', {
    operation: 'files.delete',
    summary: 'Delete a file with all its versions, or a folder with all below it.',
    errors: unremovable,
    headers: { 202: [locationHeader] },
    params: FileParams,
    query: ContextQuery,
    needs: permit('DELETE', FILE_TYPE, deps.files),
    replies: { 204: null, 202: null },
    ifMatch: true,
    handler: async ({ resource, query: { nsfilter: context }, access, precondition }) =>
      removed(await deps.trees.remove([resource], { context, access, precondition })),
  }),
  route.delete('/', {
    operation: 'files.deleteMany',
    summary: 'Delete several files and folders, with all below them, or none of them.',
    errors: [...unremovable, errors.fileNotFound],
    headers: { 202: [locationHeader] },
    query: DeleteFilesQuery,
    needs: documents({ rule: 'resource', action: 'DELETE', resource: FILE_TYPE }),
    replies: { 204: null, 202: null },
    handler: async ({ query: { _ids, nsfilter }, access }) =>
      removed(await deps.trees.removeMany(_ids, nsfilter, access)),
  }),
];

/** @param taskId of a removal that the worker finishes */
const removed = (taskId: string | undefined) =>
  taskId === undefined ? noContent() : accepted(`/filesvc/api/v1/asynctasks/${taskId}`);

/** What a repetition shows must still be readable for the caller. @throws 404 */
const again =
  ({ files }: Deps) =>
  async (id: string, { query, access }: Pick<RequestContext<unknown, { nsfilter: string }>, 'query' | 'access'>) =>
    files.require(access, 'READ', await files.find(id), query.nsfilter);

const creationRoutes = (deps: Deps): Route[] => [
  route.post('/', {
    operation: 'files.upload',
    summary: 'Upload files as parts named `file` of a form.',
    description: 'A file of the same name in the same folder and namespace gets a new version.',
    errors: [...misplaced, errors.brokenForm, errors.formLimit, errors.noFile, errors.fileTooLarge, errors.uploadCut],
    needs: documents({ rule: 'all', action: 'CREATE', resource: FILE_TYPE }),
    when: isForm,
    query: UploadFormQuery,
    streamedBody: 'multipart/form-data',
    shownBody: UploadForm,
    digestBody: digestForm(deps),
    replies: { 201: ShownFile.array() },
    show: (files) => files.map(showFile),
    again: again(deps),
    handler: uploadForm(deps),
  }),
  route.post('/', {
    operation: 'files.createFolder',
    summary: 'Create a folder.',
    errors: misplaced,
    needs: documents({ rule: 'all', action: 'CREATE', resource: FILE_TYPE }),
    query: CreateFolderQuery,
    ...oneFile,
    again: again(deps),
    handler: async ({ query, access }) => {
      const { nsfilter, _name: name, _namespaces: namespaces, _parents: parents, _tags: tags } = query;
      return ok(await deps.files.createFolder({ name, namespaces, parents, tags }, nsfilter, access));
    },
  }),
];
