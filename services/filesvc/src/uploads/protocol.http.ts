import type { RequestHandler } from 'express';
import { z } from 'zod';
import { header, nsfilter, optionalHeader } from '@dtplatform/http';
import { errors } from '../errors.js';
import { File } from '../files/file.js';
import { Namespaces, Parents, Tags } from '../files/parameters.http.js';

/** tus 1.0, "Core Protocol" and "Termination". */
export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'termination';

const OVERRIDABLE = new Set(['PATCH', 'DELETE', 'HEAD']);

/** tus 1.0, "X-HTTP-Method-Override": for clients limited to GET and POST. */
export const methodOverride: RequestHandler = (req, _res, next) => {
  const method = String(req.headers['x-http-method-override']).toUpperCase();
  if (req.method === 'POST' && OVERRIDABLE.has(method)) req.method = method;
  next();
};

/**
 * Adds the version to every response to a resumable call, and forbids caching (tus 1.0, "HEAD"). Rejects other
 * versions.
 */
export const tusProtocol: RequestHandler = (req, res, next) => {
  const version = req.headers['tus-resumable'];
  if (version !== undefined || req.query.uploadType === 'resumable') {
    res.setHeader('tus-resumable', TUS_VERSION);
    res.setHeader('cache-control', 'no-store');
  }
  const isSupported = version === undefined || version === TUS_VERSION || req.method === 'OPTIONS';
  next(isSupported ? undefined : errors.unsupportedTusVersion({ headers: { 'tus-version': TUS_VERSION } }));
};

const uploadType = z.literal('resumable').describe('`resumable` for calls that belong to a resumable upload.');
const UploadMeta = File.shape._uploadMeta.unwrap();
const Checksum = UploadMeta.shape._checksum;

export const UploadQuery = z.object({ nsfilter, uploadType });
export type UploadQuery = z.infer<typeof UploadQuery>;

export const InitiateBody = z
  .object({
    _name: File.shape._name,
    _uploadMeta: z
      .object({
        _size: UploadMeta.shape._size,
        /** Clients send text or a number (docs/contract.md, "Resumable upload"). */
        _checksum: z
          .union([Checksum, z.int().transform(String)])
          .describe(
            'The checksum of the content: `sha256:`, `md5:` or `crc32c:` with the digest, which is verified, or any other value.',
          ),
      })
      .describe('What will be uploaded.'),
    _namespaces: Namespaces.optional().describe('The namespaces of the file; by default the namespace of the call.'),
    _parents: Parents.default([]).describe('The ids of its folders; `root`, or none, for the root.'),
    _tags: Tags.optional().describe('Words to find it by.'),
  })
  .meta({ id: 'NewUpload', description: 'A file whose content is sent by resumable upload.' });
export type InitiateBody = z.infer<typeof InitiateBody>;

export const AppendQuery = UploadQuery.extend({
  checksum: Checksum.optional().describe(
    'The checksum that the upload was started with. Required unless the call has `Tus-Resumable`.',
  ),
});
export type AppendQuery = z.infer<typeof AppendQuery>;

const byteCount = z.int().min(0);

/** Sent to clients of the platform's own protocol, too. */
export const tusResumable = optionalHeader(
  'Tus-Resumable',
  'The version of tus; sent by tus clients.',
  z.literal(TUS_VERSION),
);
export const tusHeaders = [header('Tus-Resumable', 'The version of tus.', z.literal(TUS_VERSION))];
export const sentOffset = optionalHeader(
  'Upload-Offset',
  'The offset at which the content continues; sent by tus clients.',
  byteCount,
);
export const uploadOffset = header('Upload-Offset', 'The number of bytes stored.', byteCount);
export const notStored = header('Cache-Control', 'The response is not cached.', z.literal('no-store'));
export const uploadLength = header('Upload-Length', 'The length of the whole content in bytes.', byteCount);
export const protocolHeaders = [
  ...tusHeaders,
  header('Tus-Version', 'The supported versions of tus.'),
  header('Tus-Extension', 'The supported extensions of tus.'),
  header('Tus-Max-Size', 'The maximum size of a file in bytes.', byteCount),
];
