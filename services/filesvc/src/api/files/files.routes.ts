import { noContent, ok, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { shown } from '../../domain/file.js';
import { contentRoutes } from '../content/content.routes.js';
import { uploadRoutes } from '../uploads/uploads.routes.js';
import { createFolder } from './create-folder.handler.js';
import {
  ContextQuery,
  CreateFolderQuery,
  FilePage,
  FileParams,
  FileReply,
  ListChildrenQuery,
  ListFilesQuery,
  UpdateFileBody,
  UpdateFileParams,
} from './files.schemas.js';
import { listChildren } from './list-children.handler.js';
import { listFiles } from './list-files.handler.js';
import { permitFile, permitUpdate } from './permit-file.js';
import { updateFile } from './update-file.handler.js';
import { isForm, uploadForm, UploadFormQuery } from './upload-form.handler.js';

/** All below /files. Resumable calls share paths with others and come first. */
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
      replies: { 201: FileReply.array() },
      handler: uploadForm(deps),
    }),
    route.post('/', {
      operation: 'files.createFolder',
      summary: 'Create a folder.',
      query: CreateFolderQuery,
      replies: { 200: FileReply },
      handler: createFolder(deps),
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
      needs: permitFile(deps, 'READ'),
      replies: { 200: FilePage },
      handler: listChildren(deps),
    }),
    // Shares its path and method with the progress of an upload, and so comes before GET.
    route.head('/:id', {
      operation: 'files.head',
      summary: 'Read the headers of a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permitFile(deps, 'READ'),
      replies: { 200: FileReply },
      handler: async ({ resource }) => ok(shown(resource)),
    }),
    route.get('/:id', {
      operation: 'files.get',
      summary: 'Read a file or folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permitFile(deps, 'READ'),
      replies: { 200: FileReply },
      handler: async ({ resource }) => ok(shown(resource)),
    }),
    route.put('/:id', {
      operation: 'files.update',
      summary: 'Rename a file or folder and replace its tags.',
      params: UpdateFileParams,
      query: ContextQuery,
      body: UpdateFileBody,
      needs: permitUpdate(deps),
      replies: { 200: FileReply },
      handler: updateFile(deps),
    }),
    route.delete('/:id', {
      operation: 'files.delete',
      summary: 'Delete a file with all its versions, or an empty folder.',
      params: FileParams,
      query: ContextQuery,
      needs: permitFile(deps, 'DELETE'),
      replies: { 204: null },
      handler: async ({ resource, requireMatch }) => {
        await deps.files.remove(resource, requireMatch);
        return noContent();
      },
    }),
  ]);
