import { commonErrors } from '@dtplatform/errors';
import { showFile } from '../files/file.js';
import type { File, ShownFile } from '../files/file.js';
import type { ObjectBytes, Objects } from './ports.js';

/** The content of a file's tip. */
export interface Download {
  versionId: string;
  name: string;
  size: number;
  contentType: string;
  contentEncoding?: string;
  open(range: { start: number; end: number } | undefined, signal: AbortSignal): Promise<ObjectBytes>;
}

interface Deps {
  objects: Objects;
  urlTtlSec: number;
}

export type Content = ReturnType<typeof createContent>;

export function createContent({ objects, urlTtlSec }: Deps) {
  return {
    /** @throws 404 when the file has no complete version */
    of({ _name: name, _fileVersion: tip, internal: { content } }: File): Download {
      if (!tip || !content) throw commonErrors.notFound();
      const { key, contentType, contentEncoding } = content;
      const open: Download['open'] = (range, signal) => objects.get(key, { range, signal });
      return { versionId: tip._id, name, size: tip._fileSize, contentType, contentEncoding, open };
    },

    /** The file as callers see it; if it is complete, with a URL from which anyone can download it for a while. */
    async showWithUrl(file: File): Promise<ShownFile> {
      const { content } = file.internal;
      if (!content || file._status !== 'UPLOAD_COMPLETED') return showFile(file);
      const { key, contentType, contentEncoding } = content;
      const options = { expiresInSec: urlTtlSec, filename: file._name, contentType, contentEncoding };
      return { ...showFile(file), _url: await objects.presignGet(key, options) };
    },
  };
}
