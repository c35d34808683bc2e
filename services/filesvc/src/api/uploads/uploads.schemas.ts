import { z } from 'zod';
import { header, nsfilter, optionalHeader } from '@dtplatform/http';
import { File } from '../../domain/files/file.js';
import { Namespaces, Parents, Tags } from '../files/files.schemas.js';
import { TUS_VERSION } from './tus-protocol.js';

const uploadType = z.literal('resumable').describe('`resumable` for calls of a resumable upload.');
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
    _namespaces: Namespaces.optional().describe('The namespaces of the file; by default that of the call.'),
    _parents: Parents.default([]).describe('The ids of the folders that it goes to; `root`, or none, for the root.'),
    _tags: Tags.optional().describe('Words by which callers find it.'),
  })
  .meta({ id: 'NewUpload', description: 'A file whose content follows by resumable upload.' });
export type InitiateBody = z.infer<typeof InitiateBody>;

export const AppendQuery = UploadQuery.extend({
  checksum: Checksum.optional().describe(
    'The checksum that the upload was initiated with. Required, unless the call has `Tus-Resumable`.',
  ),
});
export type AppendQuery = z.infer<typeof AppendQuery>;

const byteCount = z.int().min(0);

/** Headers of tus 1.0; clients of the platform's own protocol get them, too. */
export const tusResumable = optionalHeader(
  'Tus-Resumable',
  'The version of tus; sent by clients that use it.',
  z.literal(TUS_VERSION),
);
export const tusHeaders = [header('Tus-Resumable', 'The version of tus.', z.literal(TUS_VERSION))];
/** As clients of tus send it. */
export const sentOffset = optionalHeader(
  'Upload-Offset',
  'The offset at which the content continues; sent by clients of tus.',
  byteCount,
);
export const uploadOffset = header('Upload-Offset', 'How many bytes have been stored.', byteCount);
/** Of all replies to calls of resumable uploads. */
export const notStored = header('Cache-Control', 'No cache keeps the reply.', z.literal('no-store'));
export const uploadLength = header('Upload-Length', 'The length of the whole content in bytes.', byteCount);
export const protocolHeaders = [
  ...tusHeaders,
  header('Tus-Version', 'The versions of tus that are offered.'),
  header('Tus-Extension', 'The extensions of tus that are offered.'),
  header('Tus-Max-Size', 'The length of the largest file in bytes.', byteCount),
];
