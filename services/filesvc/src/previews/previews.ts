import { commonErrors } from '@dtplatform/errors';
import type { Objects } from '../content/objects.js';
import type { File } from '../files/file.js';
import { PREVIEW_TYPE, previewKey } from './preview.js';

interface Deps {
  objects: Pick<Objects, 'presignGet'>;
  urlTtlSec: number;
}

export type Previews = ReturnType<typeof createPreviews>;

export function createPreviews({ objects, urlTtlSec }: Deps) {
  return {
    /**
     * A URL from which anyone can download a preview of the file's tip for a while, and the name of the download.
     * @throws 404 when the file has no such preview
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
