import type { Objects } from '../content/objects.js';
import { errors } from '../errors.js';
import { newVersion } from '../files/file-change.js';
import { versionKey } from '../files/file.js';
import type { File } from '../files/file.js';
import type { DraftStore } from '../files/files.store.js';
import { maySourceBegin } from '../previews/source-type.js';
import { expectedOf, startHash } from './checksum.js';
import type { Expected, RunningHash } from './checksum.js';
import type { UploadWriter } from './upload-writer.store.js';
import { uploadMetaOf } from './upload.js';
import type { Upload } from './upload.js';
import type { UploadStore } from './uploads.store.js';

export type UploadFinisher = ReturnType<typeof createUploadFinisher>;

interface Deps {
  uploadStore: UploadStore;
  uploadWriter: UploadWriter;
  objects: Objects;
}

/** Creates the object, verifies it and makes it the tip. Each step can be repeated after a crash. */
export function createUploadFinisher({ uploadStore, uploadWriter, objects }: Deps) {
  async function restart(held: Upload): Promise<never> {
    await uploadWriter.restart(held, versionKey(held._id, held.restarts + 1));
    throw errors.checksumMismatch();
  }

  async function commit(held: Upload, mayBeDrawn = true): Promise<File> {
    const committed = await uploadStore.commit(held, (file) => {
      const { uploadId: _done, ...internal } = file.internal;
      const uploaded = { ...file, _uploadMeta: uploadMetaOf(held), internal };
      return newVersion(uploaded, { ...held, id: held._id, mayBeDrawn }, held.author, held.tags);
    });
    if (!committed) throw errors.uploadTakenOver();
    return committed;
  }

  async function complete(held: Upload, expected: Expected | undefined): Promise<File> {
    await objects.multipart.complete(held.key, held.multipartId!, held.parts);
    if (expected && !(await objectHashesTo(objects, held.key, expected))) return restart(held);
    return commit(held);
  }

  return {
    /**
     * @param content all of it
     * @throws 400 when the checksum does not match
     */
    async finishWhole(held: Upload, content: Buffer): Promise<File> {
      const expected = expectedOf(held.checksum);
      if (expected && !(await hashesTo(expected, content))) return restart(held);
      const { contentType, contentEncoding } = held;
      await objects.put(held.key, content, { contentType, contentEncoding });
      return commit(held, maySourceBegin(content));
    },

    /**
     * @param hash of the whole content if one request sent it; otherwise the object is read back
     * @throws 400 when the checksum does not match
     */
    async finishParts(held: Upload, hash: RunningHash | undefined): Promise<File> {
      const expected = expectedOf(held.checksum);
      if (expected && hash && !hash.digest().equals(expected.digest)) return restart(held);
      await uploadWriter.setCompleting(held, held.parts);
      return complete(held, hash ? undefined : expected);
    },

    /** Completes an upload whose writer died after the last byte. Undefined while another process does. */
    async resume(upload: Upload): Promise<File | undefined> {
      const held = await uploadWriter.claim(upload);
      if (!held) return undefined;
      const lease = uploadWriter.keep(held);
      try {
        return await complete(held, expectedOf(held.checksum));
      } catch (error) {
        await uploadWriter.interrupt(held, {}).catch(() => undefined);
        throw error;
      } finally {
        lease.stop();
      }
    },
  };
}

async function hashesTo({ algorithm, digest }: Expected, content: Buffer): Promise<boolean> {
  const hash = await startHash(algorithm);
  hash.update(content);
  return hash.digest().equals(digest);
}

async function objectHashesTo(objects: Objects, key: string, { algorithm, digest }: Expected): Promise<boolean> {
  const hash = await startHash(algorithm);
  const { stream } = await objects.get(key);
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest().equals(digest);
}

const BATCH = 100;

interface SweepDeps {
  uploadStore: UploadStore;
  uploadWriter: UploadWriter;
  draftStore: DraftStore;
  finisher: UploadFinisher;
  /** Called for each failure; the sweep continues. */
  onError: (error: unknown, uploadId: string) => void;
}

export type UploadSweep = ReturnType<typeof createUploadSweep>;

/** Recovers uploads whose process died. Safe to run concurrently. */
export function createUploadSweep({ uploadStore, uploadWriter, draftStore, finisher, onError }: SweepDeps) {
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
     * @param abandonedAfterMs uploads without activity for this long are removed
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
