import { z } from 'zod';
import { nsfilter } from '@dtplatform/http';
import { File } from '../../domain/files/file.js';
import { Namespaces, Parents, Tags } from '../files/files.schemas.js';

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
          .union([Checksum, z.number().transform(String)])
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
  checksum: Checksum.optional().describe('The checksum that the upload was initiated with; tus clients leave it out.'),
});
export type AppendQuery = z.infer<typeof AppendQuery>;
