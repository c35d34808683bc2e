import { createdBy, touchedBy } from '@dtplatform/contracts';
import type { Author } from '@dtplatform/contracts';
import { AppError } from '@dtplatform/errors';
import { errors } from '../errors.js';
import { mayHavePreviews } from '../previews/preview.js';
import type { File, FileVersion } from './file.js';
import { changeOfKind, usageOf, usageOfVersion } from './usage.js';
import type { UsageChange } from './usage.js';

export interface FileChange {
  file: File;
  version?: FileVersion;
  isDrawn?: boolean;
  usage: UsageChange[];
  /** The usage changes of existing versions. Called with a bounded number at a time. */
  recount?: (versions: FileVersion[]) => UsageChange[];
}

export interface Writing {
  /** Commits separately from the idempotency key's response, because the request writes more. */
  apart?: boolean;
}

/** Must be durable. */
export interface NewContent {
  id: string;
  key: string;
  contentType: string;
  contentEncoding?: string;
  /** Bytes. */
  size: number;
  /** Whether its first bytes are those of a previewable type; true if unknown. */
  mayBeDrawn: boolean;
}

/** @param tags of the upload; they replace those of the file */
export function newVersion(
  file: File,
  { id, key, contentType, contentEncoding, size, mayBeDrawn }: NewContent,
  author: Author,
  tags = file._tags,
): FileChange {
  const content = { key, contentType, ...(contentEncoding ? { contentEncoding } : {}) };
  const _version = file._nextVersion ?? 1;
  const _metadata = createdBy(author);
  const tip = { _id: id, _fileId: file._id, _version, _fileSize: size, _metadata };
  const version: FileVersion = { ...tip, internal: content };
  const changed: File = {
    ...file,
    _tags: tags,
    _status: 'UPLOAD_COMPLETED',
    _tipId: id,
    _tipVersion: _version,
    _nextVersion: _version + 1,
    _fileVersion: tip,
    _previews: [],
    _metadata: touchedBy(author, file._metadata, _metadata._updatedAt),
    internal: { ...file.internal, content },
  };
  const written = { file: changed, version, isDrawn: mayBeDrawn && mayHavePreviews(version) };
  if (file._tipId === undefined) return { ...written, usage: usageOf(changed, [version]) };
  const { usage, recount } = changeOfKind(file, changed) ?? { usage: [] };
  return { ...written, usage: [...usage, ...usageOfVersion(changed, version)], recount };
}

const MAX_ATTEMPTS = 3;

/**
 * Retries when another request takes the same new name first, so that the content joins that file; also when the file
 * is removed or its folder moves before the write.
 * @param attempt decides from scratch each time; undefined when what it decided on no longer exists
 */
export async function retryOnNameConflict<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await attempt();
      if (result !== undefined) return result;
      if (attempts === MAX_ATTEMPTS) throw errors.uploadTakenOver();
    } catch (error) {
      if (!isRaced(error) || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}

const RACED = [errors.nameTaken().code, errors.folderMoved().code];
const isRaced = (error: unknown) => error instanceof AppError && RACED.includes(error.code);
