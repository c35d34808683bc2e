import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { nsfilter } from '@dtplatform/http';
import { LOAD_STATUSES } from '../../domain/load.js';

const MAX_FILES = 1_000;
const id = z.string().min(1).max(128);

export const LoadFilesQuery = z.object({ nsfilter });
export type LoadFilesQuery = z.infer<typeof LoadFilesQuery>;
export const LoadFilesBody = z
  .array(z.object({ _fileId: id, _fileVersionId: id.optional() }))
  .min(1)
  .max(MAX_FILES);
export type LoadFilesBody = z.infer<typeof LoadFilesBody>;

export const FileParams = z.object({ fileId: ResourceId });
export type FileParams = z.infer<typeof FileParams>;
export const LoadStatusQuery = z.object({ nsfilter, _fileVersionId: id.optional() });
export type LoadStatusQuery = z.infer<typeof LoadStatusQuery>;

export const Load = z.object({
  _fileId: z.string(),
  _fileVersionId: z.string(),
  _status: z.enum(LOAD_STATUSES),
  _size: z.number(),
  _message: z.string(),
});
