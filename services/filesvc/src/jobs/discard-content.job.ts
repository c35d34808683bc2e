import type { ObjectStore } from '@dtplatform/object-store';
import type { JobHandler } from '@dtplatform/queue';
import type { Discard } from '../store/messages.js';

/** Removes content that is no longer referenced. Idempotent: missing content is not an error. */
export const discardContent =
  (objects: Pick<ObjectStore, 'deleteMany' | 'multipart'>): JobHandler<Discard> =>
  async ({ objects: keys, multiparts }) => {
    for (const { key, multipartId } of multiparts) await objects.multipart.abort(key, multipartId);
    await objects.deleteMany(keys);
  };
