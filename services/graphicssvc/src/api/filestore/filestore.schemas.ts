import { z } from 'zod';
import { nsfilter } from '@dtplatform/http';
import { Load, LoadRequest } from '../../domain/filestore/load.js';

const MAX_FILES = 1_000;

export const LoadFilesQuery = z.object({ nsfilter });
export const LoadFilesBody = z.array(LoadRequest).min(1).max(MAX_FILES);

export const FileParams = z.object({ fileId: Load.shape._fileId });
export const GetLoadQuery = z.object({
  nsfilter,
  _fileVersionId: LoadRequest.shape._fileVersionId.describe(
    'The id of the version; the one that was last requested as the latest by default, unless its load failed.',
  ),
});
