import { commonErrors } from '@dtplatform/errors';
import { showFile } from '../files/file.js';
import type { File, ShownFile } from '../files/file.js';
import type { ObjectBytes, Objects } from './objects.js';

export interface Download {
  versionId: string;
  name: string;
  size: number;
  contentType: string;
  contentEncoding?: string;
  /** When the content last changed, in milliseconds since 1970. */
  modifiedAt: number;
  open(range: { start: number; end: number } | undefined, signal: AbortSignal): Promise<ObjectBytes>;
}

type StoredContent = NonNullable<File['internal']['content']>;

interface Deps {
  objects: Objects;
  urlTtlSec: number;
}

const noContent = () => commonErrors.notFound({ message: 'The file has no complete version.' });

export type Content = ReturnType<typeof createContent>;

export function createContent({ objects, urlTtlSec }: Deps) {
  const presign = (filename: string, { key, contentType, contentEncoding }: StoredContent): Promise<string> =>
    objects.presignGet(key, { expiresInSec: urlTtlSec, filename, contentType, contentEncoding });

  return {
    /**
     * A signed URL, and the name of the download.
     * @throws 404 when the file has no complete version
     */
    async urlOf({ _name, internal: { content } }: File): Promise<{ _url: string; _name: string }> {
      if (!content) throw noContent();
      return { _url: await presign(_name, content), _name };
    },

    /** @throws 404 when the file has no complete version */
    of({ _name: name, _fileVersion: tip, internal: { content, tipSince = 0 } }: File): Download {
      if (!tip || !content) throw noContent();
      const { key, contentType, contentEncoding } = content;
      const modifiedAt = Math.max(tip._metadata._createdAt, tipSince);
      const open: Download['open'] = (range, signal) => objects.get(key, { range, signal });
      return { versionId: tip._id, name, size: tip._fileSize, contentType, contentEncoding, modifiedAt, open };
    },

    async showWithUrl(file: File): Promise<ShownFile> {
      const { content } = file.internal;
      if (!content || file._status !== 'UPLOAD_COMPLETED') return showFile(file);
      return { ...showFile(file), _url: await presign(file._name, content) };
    },
  };
}
