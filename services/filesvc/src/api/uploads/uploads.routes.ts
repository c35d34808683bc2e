import { documents, noContent, ok, route } from '@dtplatform/http';
import type { Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import { z } from 'zod';
import type { Deps } from '../../deps.js';
import { FILE_TYPE, ShownFile, showFile } from '../../domain/files/file.js';
import { errors } from '../../errors.js';
import { misplaced } from '../files/files.errors.js';
import { FileParams } from '../files/files.schemas.js';
import { appendUpload } from './append-upload.handler.js';
import { initiateUpload } from './initiate-upload.handler.js';
import { TUS_EXTENSIONS, TUS_VERSION } from './tus-protocol.js';
import { tusErrors, unappendable } from './uploads.errors.js';
import {
  AppendQuery,
  InitiateBody,
  notStored,
  protocolHeaders,
  sentOffset,
  tusHeaders,
  tusResumable,
  uploadLength,
  uploadOffset,
  UploadQuery,
} from './uploads.schemas.js';

const isResumable = ({ query }: { query: Record<string, unknown> }) => query.uploadType === 'resumable';

/** Resumable uploads: the platform's own protocol and tus 1.0, on the same URLs. */
export const uploadRoutes = (deps: Deps): Route[] => [
  ...(['/', '/:id'] as const).map((path) => optionsRoute(deps, path)),
  route.post('/', {
    operation: 'uploads.initiate',
    summary: 'Begin a resumable upload.',
    description: 'An upload of the same name in the same folder and namespace that has not ended starts over.',
    headers: { 201: [uploadOffset, ...tusHeaders] },
    requestHeaders: [tusResumable],
    errors: [
      ...misplaced,
      ...tusErrors,
      errors.invalidChecksum,
      errors.checksumMismatch,
      errors.fileTooLarge,
      errors.uploadRunning,
    ],
    needs: documents({ rule: 'all', action: 'CREATE', resource: FILE_TYPE }),
    when: isResumable,
    query: UploadQuery,
    body: InitiateBody,
    ignoreContentEncoding: true,
    replies: { 201: ShownFile },
    show: showFile,
    again: async (id, { query, access }) =>
      deps.files.require(access, 'READ', await deps.files.find(id), query.nsfilter),
    handler: initiateUpload(deps),
  }),
  route.head('/:id', {
    operation: 'uploads.progress',
    summary: 'Read how many bytes have been uploaded.',
    headers: { 200: [uploadOffset, uploadLength, notStored, ...tusHeaders] },
    requestHeaders: [tusResumable],
    errors: tusErrors,
    when: isResumable,
    params: FileParams,
    query: UploadQuery,
    needs: permit('READ', FILE_TYPE, deps.files),
    replies: { 200: null },
    handler: async ({ resource }) => {
      const { offset, length } = await deps.uploads.progress(resource);
      return { status: 200, headers: { 'upload-length': length, 'upload-offset': offset } };
    },
  }),
  route.patch('/:id', {
    operation: 'uploads.append',
    summary: 'Upload content from the current offset.',
    description: 'The last bytes complete the file. Clients of tus send `Tus-Resumable`; others send the checksum.',
    headers: { 200: [uploadOffset, ...tusHeaders] },
    requestHeaders: [tusResumable, sentOffset],
    errors: [...misplaced, ...tusErrors, ...unappendable],
    params: FileParams,
    query: AppendQuery,
    streamedBody: 'application/offset+octet-stream',
    shownBody: z.file(),
    needs: permit('EDIT', FILE_TYPE, deps.files),
    replies: { 200: ShownFile },
    show: showFile,
    handler: appendUpload(deps),
  }),
  cancelRoute(deps),
];

const cancelRoute = (deps: Deps): Route =>
  route.delete('/:id', {
    operation: 'uploads.cancel',
    summary: 'Cancel a resumable upload.',
    headers: { 200: tusHeaders, 204: tusHeaders },
    requestHeaders: [tusResumable],
    errors: [
      ...tusErrors,
      errors.folderMoved,
      errors.uploadRunning,
      errors.uploadTakenOver,
      errors.uploadLocked,
      errors.lastVersion,
    ],
    when: isResumable,
    params: FileParams,
    query: UploadQuery,
    needs: permit('DELETE', FILE_TYPE, deps.files),
    replies: { 200: ShownFile, 204: null },
    show: showFile,
    handler: async ({ resource, req }) => {
      const { file, hadBytes } = await deps.uploads.cancel(resource);
      return hadBytes && req.headers['tus-resumable'] === undefined ? ok(file) : noContent();
    },
  });

/** tus 1.0, "OPTIONS": what this service supports. */
const optionsRoute = ({ config }: Deps, path: '/' | '/:id') =>
  route.options(path, {
    operation: path === '/' ? 'uploads.protocol' : 'uploads.protocolOfFile',
    summary: 'Read which version and extensions of tus are offered.',
    ...(path === '/' ? {} : { aliasOf: 'uploads.protocol' }),
    auth: 'none',
    headers: { 204: protocolHeaders },
    replies: { 204: null },
    handler: async () =>
      noContent({
        'tus-resumable': TUS_VERSION,
        'tus-version': TUS_VERSION,
        'tus-extension': TUS_EXTENSIONS,
        'tus-max-size': config.MAX_FILE_BYTES,
      }),
  });
