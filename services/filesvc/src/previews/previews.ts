import { buffer } from 'node:stream/consumers';
import { commonErrors } from '@dtplatform/errors';
import type { Objects } from '../content/objects.js';
import type { File, FileVersion } from '../files/file.js';
import { CannotRender, PREVIEW_TYPE, previewKey } from './preview.js';
import type { PreviewStore } from './previews.store.js';
import type { Renderer } from './renderer.client.js';
import { HEAD_BYTES, needsMore, sourceTypeOf, XML_HEAD_BYTES } from './source-type.js';
import type { SourceType } from './source-type.js';

export type Previews = ReturnType<typeof createPreviews>;

export function createPreviews({ objects, urlTtlSec }: { objects: Pick<Objects, 'presignGet'>; urlTtlSec: number }) {
  return {
    /**
     * A signed URL of a preview of the tip, and the name of the download.
     * @throws 404
     */
    async urlOf({ _previews, _name }: File, previewId: string): Promise<{ _url: string; _name: string }> {
      if (!_previews.some(({ _id }) => _id === previewId))
        throw commonErrors.notFound({ message: 'The file has no such preview.' });
      const filename = `${_name}.webp`;
      const options = { expiresInSec: urlTtlSec, filename, contentType: PREVIEW_TYPE };
      return { _url: await objects.presignGet(previewKey(previewId), options), _name: filename };
    },
  };
}

export interface PreviewRequest {
  versionId: string;
  /** One per size. Chosen with the request, so that every attempt writes the same objects. */
  previewIds: string[];
}

interface Deps {
  previewStore: PreviewStore;
  objects: Pick<Objects, 'get' | 'put' | 'delete'>;
  renderer: Renderer;
  /** Bytes. Larger files get no previews. */
  maxFileBytes: number;
}

export type PreviewMaker = ReturnType<typeof createPreviewMaker>;

/** Content without previews is not an error. */
export function createPreviewMaker({ previewStore, objects, renderer, maxFileBytes }: Deps) {
  async function read(
    { internal: { key } }: FileVersion,
    signal: AbortSignal,
    range?: { start: number; end: number },
  ): Promise<Buffer> {
    return buffer((await objects.get(key, { range, signal })).stream);
  }

  /** @throws CannotRender */
  async function typeOf(version: FileVersion, signal: AbortSignal): Promise<SourceType> {
    const first = (bytes: number) => read(version, signal, { start: 0, end: Math.min(version._fileSize, bytes) - 1 });
    const head = await first(HEAD_BYTES);
    const type = sourceTypeOf(needsMore(head) ? await first(XML_HEAD_BYTES) : head);
    if (!type) throw new CannotRender('The content is not an image or PDF.');
    if (version._fileSize > maxFileBytes) throw new CannotRender('The file is too large.');
    return type;
  }

  async function make(version: FileVersion, previewIds: string[], signal: AbortSignal): Promise<boolean> {
    const type = await typeOf(version, signal);
    const images = await renderer.render(await read(version, signal), type, signal);
    const previews = images.map(({ width, height, data }, index) => {
      return { _id: previewIds[index]!, _width: width, _height: height, size: data.length };
    });
    for (const [index, { data }] of images.entries()) {
      await objects.put(previewKey(previewIds[index]!), Buffer.from(data), { contentType: PREVIEW_TYPE });
    }
    return previewStore.record(version, previews);
  }

  return {
    /**
     * May run repeatedly and concurrently.
     * @returns why the version has no previews, if so
     */
    async make({ versionId, previewIds }: PreviewRequest, signal: AbortSignal): Promise<string | undefined> {
      const version = await previewStore.findVersion(versionId);
      if (version?.internal.previews?.length) return undefined;
      try {
        if (version && (await make(version, previewIds, signal))) return undefined;
      } catch (error) {
        if (error instanceof CannotRender) return error.message;
        throw error;
      }
      // The version was removed before its previews were recorded, so no record refers to the objects.
      for (const id of previewIds) await objects.delete(previewKey(id));
      return 'The version no longer exists.';
    },
  };
}
