import { createdBy, touchedBy } from '@dtplatform/contracts';
import type { Author } from '@dtplatform/contracts';
import { AppError } from '@dtplatform/errors';
import { errors } from '../errors.js';
import { mayHavePreviews } from '../previews/preview.js';
import type { File, FileVersion } from './file.js';
import { changeOfKind, usageOf, usageOfVersion } from './usage.js';
import type { UsageChange } from './usage.js';

/** The writes of one change to a file. */
export interface FileChange {
  file: File;
  version?: FileVersion;
  /** Whether previews of the version are to be made. */
  isDrawn?: boolean;
  usage: UsageChange[];
  /** What changes for the versions that the file already has. Called with a bounded number of them at a time. */
  recount?: (versions: FileVersion[]) => UsageChange[];
}

export interface Writing {
  /** Committed at once, and not together with the response to an idempotency key: more is written for the same request. */
  apart?: boolean;
}

/** Content that is durable and becomes a version. */
export interface NewContent {
  /** Id of the version. */
  id: string;
  /** Key of the object. */
  key: string;
  contentType: string;
  contentEncoding?: string;
  /** Bytes. */
  size: number;
  /** Whether its first bytes are those of something that previews are made of; true where they are not known. */
  mayBeDrawn: boolean;
}

/** The writes that make content the tip of a file. @param tags of the upload; they replace those of the file */
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
    // Previews of the previous version do not show the new content.
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
 * Retries when another request took the same new name first: the content then belongs to the file that request created.
 * Also retries when the file is removed before the write (then a new file is created), or its folder is moved.
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
