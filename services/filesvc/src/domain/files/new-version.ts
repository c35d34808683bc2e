import { createdBy, touchedBy } from '@dtplatform/contracts';
import type { Author } from '@dtplatform/contracts';
import type { File, FileVersion } from './file.js';
import { mayHavePreviews } from '../previews/preview.js';
import type { FileChange } from './ports.js';
import { changeOfKind, usageOf, usageOfVersion } from './usage.js';

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
