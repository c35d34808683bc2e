import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { created, documents, mediaTypeOf, noContent, ok, route } from '@dtplatform/http';
import type { Handler, Route } from '@dtplatform/http';
import { permit } from '@dtplatform/permissions';
import type { Config } from '../config.js';
import { contentTypeOf, encodingOf, lengthOf } from '../content/request-bodies.http.js';
import type { RequestBodies } from '../content/request-bodies.http.js';
import { errors } from '../errors.js';
import { FILE_TYPE, showFile, ShownFile } from '../files/file.js';
import type { File } from '../files/file.js';
import type { Files } from '../files/files.js';
import { FileParams, misplaced } from '../files/parameters.http.js';
import {
  AppendQuery,
  InitiateBody,
  notStored,
  protocolHeaders,
  sentOffset,
  TUS_EXTENSIONS,
  TUS_VERSION,
  tusHeaders,
  tusResumable,
  uploadLength,
  uploadOffset,
  UploadQuery,
} from './protocol.http.js';
import type { Uploads } from './uploads.js';

const tusErrors = [errors.unsupportedTusVersion];
const unappendable = [
  errors.invalidChecksum,
  errors.otherChecksum,
  errors.checksumMismatch,
  errors.tooManyBytes,
  errors.uploadCut,
  errors.fileTooLarge,
  errors.wrongOffset,
  errors.uploadTakenOver,
  errors.uploadRunning,
  errors.uploadLocked,
  commonErrors.conflict,
];

const isResumable = ({ query }: { query: Record<string, unknown> }) => query.uploadType === 'resumable';

interface Parts {
  files: Files;
  uploads: Uploads;
  bodies: RequestBodies;
  config: Pick<Config, 'MAX_FILE_BYTES'>;
}

/** Resumable uploads: the platform's own protocol and tus 1.0, on the same URLs. */
export const uploadRoutes = (parts: Parts): Route[] => [
  ...(['/', '/:id'] as const).map((path) => optionsRoute(parts, path)),
  route.post('/', {
    operation: 'uploads.initiate',
    summary: 'Start a resumable upload.',
    description: 'An unfinished upload with the same name, folder and namespace starts over.',
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
    responses: { 201: ShownFile },
    show: showFile,
    again: async (id, { query, access }) =>
      parts.files.require(access, 'READ', await parts.files.find(id), query.nsfilter),
    handler: initiate(parts),
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
    needs: permit('READ', FILE_TYPE, parts.files),
    responses: { 200: null },
    handler: async ({ resource }) => {
      const { offset, length } = await parts.uploads.progress(resource);
      return { status: 200, headers: { 'upload-length': length, 'upload-offset': offset } };
    },
  }),
  route.patch('/:id', {
    operation: 'uploads.append',
    summary: 'Upload content from the current offset.',
    description: 'The last bytes complete the file. Tus clients send `Tus-Resumable`; others send the checksum.',
    headers: { 200: [uploadOffset, ...tusHeaders] },
    requestHeaders: [tusResumable, sentOffset],
    errors: [...misplaced, ...tusErrors, ...unappendable],
    params: FileParams,
    query: AppendQuery,
    streamedBody: 'application/offset+octet-stream',
    shownBody: z.file(),
    needs: permit('EDIT', FILE_TYPE, parts.files),
    responses: { 200: ShownFile },
    show: showFile,
    handler: append(parts),
  }),
  cancelRoute(parts),
];

const cancelRoute = (parts: Parts): Route =>
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
    needs: permit('DELETE', FILE_TYPE, parts.files),
    responses: { 200: ShownFile, 204: null },
    show: showFile,
    handler: async ({ resource, req }) => {
      const { file, hadBytes } = await parts.uploads.cancel(resource);
      return hadBytes && req.headers['tus-resumable'] === undefined ? ok(file) : noContent();
    },
  });

const optionsRoute = ({ config }: Parts, path: '/' | '/:id') =>
  route.options(path, {
    operation: path === '/' ? 'uploads.protocol' : 'uploads.protocolOfFile',
    summary: 'Read the supported version and extensions of tus.',
    ...(path === '/' ? {} : { aliasOf: 'uploads.protocol' }),
    auth: 'none',
    headers: { 204: protocolHeaders },
    responses: { 204: null },
    handler: async () =>
      noContent({
        'tus-resumable': TUS_VERSION,
        'tus-version': TUS_VERSION,
        'tus-extension': TUS_EXTENSIONS,
        'tus-max-size': config.MAX_FILE_BYTES,
      }),
  });

/** The type describes the request body rather than the file. */
const isJson = (headers: IncomingHttpHeaders) => mediaTypeOf(headers['content-type']) === 'application/json';

const initiate =
  ({ uploads }: Parts): Handler<{ query: UploadQuery; body: InitiateBody }, File> =>
  async ({ query, body, access, req }) => {
    const file = await uploads.initiate(
      {
        context: query.nsfilter,
        name: body._name,
        namespaces: body._namespaces ?? [query.nsfilter],
        parents: body._parents,
        tags: body._tags?.length ? body._tags : undefined,
        size: body._uploadMeta._size,
        checksum: body._uploadMeta._checksum,
        contentType: contentTypeOf(body._name, isJson(req.headers) ? undefined : req.headers['content-type']),
        contentEncoding: encodingOf(req.headers),
      },
      access,
    );
    return created(file, { 'upload-offset': 0 });
  };

const TUS_BODY = 'application/offset+octet-stream';
const WHOLE_NUMBER = /^\d{1,15}$/;

/** PATCH /files/{id}?uploadType=resumable: appends bytes. The last bytes complete the file. */
const append =
  ({ uploads, bodies }: Parts): Handler<{ params: FileParams; query: AppendQuery; resource: File }, File> =>
  async ({ req, query, resource, access }) => {
    assertTusForm(req.headers, query.checksum);
    const appending = {
      body: req,
      caller: access.principal.id,
      offset: offsetOf(req.headers),
      length: lengthOf(req.headers),
      checksum: query.checksum,
    };
    const { file, offset } = await bodies.during(req, () => uploads.append(resource, appending));
    return ok(file, { 'upload-offset': offset });
  };

/**
 * tus 1.0, "PATCH".
 * @throws 415 for another content type, 400 without the checksum and without tus
 */
function assertTusForm(headers: IncomingHttpHeaders, checksum: string | undefined): void {
  const isTus = headers['tus-resumable'] !== undefined;
  if (isTus && mediaTypeOf(headers['content-type']) !== TUS_BODY) throw commonErrors.unsupportedMediaType();
  if (!isTus && checksum === undefined) {
    throw commonErrors.badRequest({ details: [{ location: 'query.checksum', message: 'is required' }] });
  }
}

function offsetOf(headers: IncomingHttpHeaders): number | undefined {
  const offset = headers['upload-offset'];
  if (offset === undefined) return undefined;
  if (typeof offset !== 'string' || !WHOLE_NUMBER.test(offset)) {
    throw commonErrors.badRequest({ message: 'Upload-Offset must be a whole number.' });
  }
  return Number(offset);
}
