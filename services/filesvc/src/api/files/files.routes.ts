import { noContent, ok, revision, route, routes } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { ShownFile, showFile } from '../../domain/files/file.js';
import { contentRoutes } from '../content/content.routes.js';
import { uploadRoutes } from '../uploads/uploads.routes.js';
import {
  ContextQuery,
  CreateFolderQuery,
  FilePage,
  FileParams,
  ListChildrenQuery,
  ListFilesQuery,
  UpdateFileBody,
  UpdateFileParams,
  UploadFormQuery,
} from './files.schemas.js';
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
    route.post('/', {
      operation: 'files.upload',
      summary: 'Upload files as parts named `file` of a form.',
      when: isForm,
      query: UploadFormQuery,
      streamedBody: 'multipart/form-data',
      replies: { 201: ShownFile.array() },
      show: (files) => files.map(showFile),
      handler: uploadForm(deps),
    }),
    route.post('/', {
      operation: 'files.createFolder',
      summary: 'Create a folder.',
      query: CreateFolderQuery,
      ...oneFile,
      handler: async ({ query, access }) => {
        const { nsfilter, _name: name, _namespaces: namespaces, _parents: parents, _tags: tags } = query;
        return ok(await deps.files.createFolder({ name, namespaces, parents, tags }, nsfilter, access));
      },
    }),
    route.get('/', {
      operation: 'files.list',
      summary: 'List files and folders.',
      query: ListFilesQuery,
      replies: { 200: FilePage },
      handler: listFiles(deps),
    }),
    route.get('/:id/children', {
      operation: 'files.children',
      summary: 'List what is in a folder.',
      params: FileParams,
      query: ListChildrenQuery,
      needs: permit('READ', deps.files),
      replies: { 200: FilePage },
      handler: listChildren(deps),
    }),
    // Shares its path and method with the progress of an upload. Before GET, which Express would use for HEAD.
    route.head('/:id', {
      operation: 'files.head',
      summary: 'Read the headers of a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permit('READ', deps.files),
      ...oneFile,
      handler: async ({ resource }) => ok(resource),
    }),
    route.get('/:id', {
      operation: 'files.get',
      summary: 'Read a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permit('READ', deps.files),
      ...oneFile,
      handler: async ({ resource }) => ok(resource),
    }),
    route.put('/:id', {
      operation: 'files.update',
      summary: 'Rename a file or folder and replace its tags.',
      params: UpdateFileParams,
      query: ContextQuery,
      body: UpdateFileBody,
      needs: permit('EDIT', missingIsBadRequest(deps.files)),
      ...oneFile,
      handler: async ({ resource, body: { _name: name, _tags: tags }, access, precondition }) =>
        ok(await deps.files.update(resource._id, { name, tags }, access, precondition)),
    }),
    route.delete('/:id', {
      operation: 'files.delete',
      summary: 'Delete a file with all its versions, or an empty folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permit('DELETE', deps.files),
      replies: { 204: null },
      handler: ({ resource, precondition }) => deps.files.remove(resource, precondition).then(() => noContent()),
    }),
  ]);
