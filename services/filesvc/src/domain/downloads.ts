import type { StoredFile } from './file.js';
import type { ObjectBytes, Objects } from './ports.js';

/** The content of a file's tip, as it is to be sent. */
export interface Download {
  versionId: string;
  name: string;
  size: number;
  contentType: string;
  contentEncoding?: string;
  open(range: { start: number; end: number } | undefined, signal: AbortSignal): Promise<ObjectBytes>;
}

export type Downloads = ReturnType<typeof createDownloads>;

export function createDownloads({ objects, urlTtlSec }: { objects: Objects; urlTtlSec: number }) {
  return {
    /** Undefined while no version is complete. */
    of({ _name, _fileVersion, internal: { content } }: StoredFile): Download | undefined {
      if (!_fileVersion || !content) return undefined;
      return {
        versionId: _fileVersion._id,
        name: _name,
        size: _fileVersion._fileSize,
        contentType: content.contentType,
        contentEncoding: content.contentEncoding,
        open: (range, signal) => objects.get(content.key, { range, signal }),
      };
    },

    /** The file with a URL that anybody can download it from for a while, where it is complete. */
    async withUrl(file: StoredFile): Promise<StoredFile> {
      const { content } = file.internal;
      if (!content || file._status !== 'UPLOAD_COMPLETED') return file;
      const { key, contentType, contentEncoding } = content;
      const url = await objects.presignGet(key, {
        expiresInSec: urlTtlSec,
        filename: file._name,
        contentType,
        contentEncoding,
      });
      return { ...file, _url: url };
    },
  };
}
