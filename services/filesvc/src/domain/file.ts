import type { Metadata } from '@dtplatform/contracts';

/** Type of the resource name; folders are files to permissions. */
export const FILE_TYPE = 'filesvc:file';

export type FileStatus = 'CREATED' | 'UPLOAD_INITIATED' | 'UPLOAD_INTERRUPTED' | 'UPLOAD_COMPLETED';

export interface FileVersion {
  _id: string;
  _fileId: string;
  /** From 1. */
  _version: number;
  /** Bytes. */
  _fileSize: number;
  _metadata: Metadata;
}

export interface UploadMeta {
  /** Bytes. */
  _size: number;
  _checksum: string;
  _uploadId: string;
}

/** A file or folder as callers see it (contract: File or folder). */
export interface File {
  _id: string;
  _name: string;
  _type: 'file' | 'dir';
  _irn: string;
  _status: FileStatus;
  _namespaces: string[];
  /** Ids of folders; empty at the root. */
  _parents: string[];
  _tags: string[];
  _tipId?: string;
  _tipVersion?: number;
  _nextVersion?: number;
  _fileVersion?: FileVersion;
  _previews: object[];
  _uploadMeta?: UploadMeta;
  _metadata: Metadata;
  /** Download URL, where it was asked for. */
  _url?: string;
}

/** Where the bytes of a version are and what they are. */
interface Content {
  /** Key of the object. */
  key: string;
  contentType: string;
  contentEncoding?: string;
}

export interface StoredVersion extends FileVersion {
  internal: Content;
}

/** A file as it is stored: what callers see, and what only this service knows. */
export interface StoredFile extends File {
  internal: {
    /** One for each namespace and place in which the name is taken; unique over all files. */
    nameKeys: string[];
    /** All folders that the file lies below. */
    ancestors: string[];
    /** The namespaces, where the file is at the root; else empty. */
    rootOf: string[];
    /** Content of the tip. */
    content?: Content;
    /** The unfinished resumable upload. */
    uploadId?: string;
    /** A folder that is being removed takes in nothing new before this time, in milliseconds since 1970. */
    removingUntil?: number;
  };
}

export const irnOf = (id: string): string => `${FILE_TYPE}:${id}`;

/** The file without what callers must not see. */
export function shown({ internal: _internal, ...file }: StoredFile): File {
  return file;
}

/** The file with a new version as its tip. */
export function withTip(file: StoredFile, { internal, ...version }: StoredVersion): StoredFile {
  const { _updatedAt, _updatedById, _updatedByName } = version._metadata;
  return {
    ...file,
    _status: 'UPLOAD_COMPLETED',
    _tipId: version._id,
    _tipVersion: version._version,
    _nextVersion: version._version + 1,
    _fileVersion: version,
    // Those of the version before do not show the new content.
    _previews: [],
    _metadata: {
      ...file._metadata,
      _updatedAt: Math.max(_updatedAt, file._metadata._updatedAt + 1),
      _updatedById,
      _updatedByName,
    },
    internal: { ...file.internal, content: internal },
  };
}
