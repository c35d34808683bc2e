import type { DraftStore, UploadStore } from '../ports.js';
import type { UploadFinisher } from './finish-upload.js';
import type { Upload } from './upload.js';

const BATCH = 100;

/** Puts right what processes that ended without a word left behind. Any number of workers may do it at once. */
export function createUploadSweep(deps: {
  uploads: UploadStore;
  drafts: DraftStore;
  finisher: UploadFinisher;
  /** One upload that cannot be put right must not stop the others. */
  onError: (error: unknown, uploadId: string) => void;
}) {
  const { uploads, drafts, finisher, onError } = deps;

  /** The upload is interrupted where its writer stopped; or complete, where only its end was missing. */
  async function settle(upload: Upload): Promise<void> {
    if (upload.isCompleting) {
      await finisher.resume(upload);
      return;
    }
    const held = await uploads.acquire(upload._id, upload.offset);
    if (held) await uploads.interrupt(held, {});
  }

  async function each<T extends { _id: string }>(found: T[], work: (one: T) => Promise<unknown>): Promise<number> {
    for (const one of found) await work(one).catch((error: unknown) => onError(error, one._id));
    return found.length;
  }

  return {
    /**
     * Gives how many uploads and drafts it found.
     * @param abandonedAfterMs how long nothing may move in an upload before it is removed
     */
    async run(abandonedAfterMs: number): Promise<number> {
      const stale = await each(await uploads.findStale(BATCH), settle);
      const since = new Date(Date.now() - abandonedAfterMs);
      const abandoned = await each(await uploads.findAbandoned(since, BATCH), (upload) =>
        uploads.cancel(upload, since),
      );
      const drafted = await each(await drafts.findAbandoned(since, BATCH), (draft) => drafts.discard(draft._id, since));
      return stale + abandoned + drafted;
    },
  };
}
