import type { DraftStore } from '../files/files.store.js';
import type { UploadFinisher } from './finish-upload.js';
import type { UploadWriter } from './upload-writer.store.js';
import type { Upload } from './upload.js';
import type { UploadStore } from './uploads.store.js';

const BATCH = 100;

interface Deps {
  uploadStore: UploadStore;
  uploadWriter: UploadWriter;
  draftStore: DraftStore;
  finisher: UploadFinisher;
  /** Called for each upload that could not be recovered; the sweep continues with the others. */
  onError: (error: unknown, uploadId: string) => void;
}

export type UploadSweep = ReturnType<typeof createUploadSweep>;

/** Recovers uploads whose process died. Any number of workers may do so at once. */
export function createUploadSweep({ uploadStore, uploadWriter, draftStore, finisher, onError }: Deps) {
  /** Interrupts an upload where its writer stopped, or completes it if all parts are stored. */
  async function settle(upload: Upload): Promise<void> {
    if (upload.isCompleting) {
      await finisher.resume(upload);
      return;
    }
    const held = await uploadWriter.claim(upload);
    if (held) await uploadWriter.interrupt(held, {});
  }

  async function each<T extends { _id: string }>(found: T[], work: (one: T) => Promise<unknown>): Promise<number> {
    for (const one of found) await work(one).catch((error: unknown) => onError(error, one._id));
    return found.length;
  }

  return {
    /**
     * @param abandonedAfterMs uploads in which no bytes have moved for this long are removed
     * @returns the number of uploads and drafts found
     */
    async run(abandonedAfterMs: number): Promise<number> {
      const stale = await each(await uploadStore.findStale(BATCH), settle);
      const since = new Date(Date.now() - abandonedAfterMs);
      const abandoned = await each(await uploadStore.findAbandoned(since, BATCH), (upload) =>
        uploadStore.cancel(upload, since),
      );
      const drafted = await each(await draftStore.findAbandoned(since, BATCH), (draft) =>
        draftStore.discard(draft._id, since),
      );
      return stale + abandoned + drafted;
    },
  };
}
