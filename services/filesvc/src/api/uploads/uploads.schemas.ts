import { z } from 'zod';
import { nsfilter } from '@dtplatform/http';
import { File } from '../../domain/files/file.js';
import { Namespaces, Parents, Tags } from '../files/files.schemas.js';

const uploadType = z.literal('resumable');
const UploadMeta = File.shape._uploadMeta.unwrap();
const Checksum = UploadMeta.shape._checksum;

export const UploadQuery = z.object({ nsfilter, uploadType });
export type UploadQuery = z.infer<typeof UploadQuery>;

export const InitiateBody = z.object({
  _name: File.shape._name,
  _uploadMeta: z.object({
    _size: UploadMeta.shape._size,
    /** Clients send text or a number (docs/contract.md, "Resumable upload"). */
    _checksum: z.union([Checksum, z.number().transform(String)]),
  }),
  _namespaces: Namespaces.optional(),
  _parents: Parents.default([]),
  _tags: Tags.optional(),
});
export type InitiateBody = z.infer<typeof InitiateBody>;

export const AppendQuery = UploadQuery.extend({ checksum: Checksum.optional() });
export type AppendQuery = z.infer<typeof AppendQuery>;
