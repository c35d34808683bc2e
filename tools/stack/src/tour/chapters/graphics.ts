import { FILESTORE } from '../http/paths.js';
import { boxGeometry } from '../input/box-geometry.js';
import type { Tour } from '../tour.js';
import { uploadForm } from './files.js';
import type { Person } from './people.js';

/** Graphicssvc loads only files with this tag. */
const GRAPHICS_TAG = '#invgraphicsfile#';

interface Load {
  _fileId: string;
  _status: 'QUEUED' | 'LOADING' | 'LOADED' | 'SKIPPED' | 'ERROR' | 'EVICTED';
  _message?: string;
}

export async function loadGraphics(tour: Tour, owner: Person, namespace: string): Promise<void> {
  const query = { nsfilter: namespace };
  const file = await tour.step('A graphics file is uploaded, with the tag of such files (glTF)', () => {
    const content = boxGeometry();
    const name = `storey-${tour.mark}.glb`;
    return uploadForm(owner, namespace, { name, type: 'model/gltf-binary', content, tags: GRAPHICS_TAG });
  });
  await tour.step('The graphics file store loads it', async () => {
    await owner.call('PUT', FILESTORE, { query, json: [{ _fileId: file._id }] });
    await tour.eventually('the file is LOADED', async () => {
      const path = `/graphicssvc/api/v1/filestore/${file._id}`;
      const { body } = await owner.call<Load>('GET', path, { query });
      if (['SKIPPED', 'ERROR', 'EVICTED'].includes(body._status))
        throw new Error(`the load is ${JSON.stringify(body)}`);
      return body._status === 'LOADED' ? body : undefined;
    });
  });
}
