import { z } from 'zod';
import { nsfilter } from '@dtplatform/http';
import { FileName, Namespaces, Parents, Tags } from '../files/files.schemas.js';

const uploadType = z.literal('resumable');
const Checksum = z.string().min(1).max(256);

export const UploadQuery = z.object({ nsfilter, uploadType });
export type UploadQuery = z.infer<typeof UploadQuery>;

export const InitiateBody = z.object({
  _name: FileName,
  _uploadMeta: z.object({
    _size: z.int().min(0),
    /** Listed as a number, described as text (contract: Resumable upload). */
    _checksum: z.union([Checksum, z.number().transform(String)]),
  }),
  _namespaces: Namespaces.optional(),
  _parents: Parents.default([]),
  _tags: Tags.optional(),
});
export type InitiateBody = z.infer<typeof InitiateBody>;

export const AppendQuery = z.object({ nsfilter, uploadType, checksum: Checksum.optional() });
export type AppendQuery = z.infer<typeof AppendQuery>;
