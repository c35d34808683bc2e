import { errors } from '../../errors.js';
import type { StoredFile, StoredVersion } from '../file.js';
import { expectedOf, startHash } from '../checksum.js';
import type { Expected, RunningHash } from '../checksum.js';
import { createdBy } from '../metadata.js';
import { versionKey } from '../object-keys.js';
import type { Objects, UploadStore } from '../ports.js';
import { keepLease } from './keep-lease.js';
import { newTip } from './new-tip.js';
import { uploadMetaOf } from './upload.js';
import type { HeldUpload, Upload } from './upload.js';

export type UploadFinisher = ReturnType<typeof createUploadFinisher>;

/** The end of an upload: one object is made, verified and becomes the tip. Each step may be done again after a crash. */
export function createUploadFinisher({ uploads, objects }: { uploads: UploadStore; objects: Objects }) {
  async function restart(held: HeldUpload): Promise<never> {
    await uploads.restart(held, versionKey(held._id, held.restarts + 1));
    throw errors.checksumMismatch();
  }

  async function commit(held: HeldUpload): Promise<StoredFile> {
    const committed = await uploads.commit(held, (file, versions) => {
      const uploaded: StoredFile = { ...file, _uploadMeta: uploadMetaOf(held), internal: { ...file.internal } };
      delete uploaded.internal.uploadId;
      return newTip(uploaded, versionOf(file, held), held.tags, versions);
    });
    if (!committed) throw errors.uploadTakenOver();
    return committed;
  }

  /** Makes the object of parts that are all there. */
  async function complete(held: HeldUpload, expected: Expected | undefined): Promise<StoredFile> {
    await objects.multipart.complete(held.key, held.multipartId!, held.parts);
    if (expected && !(await readsAs(objects, held.key, expected))) return restart(held);
    return commit(held);
  }

  return {
    /** Ends an upload whose whole content is in memory. @throws 400 when it does not have its checksum */
    async finishWhole(held: HeldUpload, content: Buffer): Promise<StoredFile> {
      const expected = expectedOf(held.checksum);
      if (expected && !(await hashesTo(expected, content))) return restart(held);
      const { contentType, contentEncoding } = held;
      await objects.put(held.key, content, { contentType, contentEncoding });
      return commit(held);
    },

    /**
     * Ends an upload whose content is in parts.
     * @param hash of the whole content, where it passed in one go; else the object is read to be verified
     * @throws 400 when the content does not have its checksum
     */
    async finishParts(held: HeldUpload, hash: RunningHash | undefined): Promise<StoredFile> {
      const expected = expectedOf(held.checksum);
      if (expected && hash && !(await hash.digest()).equals(expected.digest)) return restart(held);
      await uploads.setCompleting(held, held.parts);
      return complete(held, hash ? undefined : expected);
    },

    /** Ends an upload whose writer stopped between the last byte and the end; undefined while another does so. */
    async resume(upload: Upload): Promise<StoredFile | undefined> {
      const held = await uploads.acquire(upload._id, upload.offset);
      if (!held) return undefined;
      const lease = keepLease(uploads, held);
      lease.finishing();
      try {
        return await complete(held, expectedOf(held.checksum));
      } catch (error) {
        await uploads.interrupt(held, {}).catch(() => undefined);
        throw error;
      } finally {
        lease.stop();
      }
    },
  };
}

const versionOf = (file: StoredFile, held: HeldUpload): StoredVersion => ({
  _id: held._id,
  _fileId: file._id,
  _version: file._nextVersion ?? 1,
  _fileSize: held.size,
  _metadata: createdBy(held.author),
  internal: {
    key: held.key,
    contentType: held.contentType,
    ...(held.contentEncoding ? { contentEncoding: held.contentEncoding } : {}),
  },
});

async function hashesTo({ algorithm, digest }: Expected, content: Buffer): Promise<boolean> {
  const hash = startHash(algorithm);
  hash.update(content);
  return (await hash.digest()).equals(digest);
}

async function readsAs(objects: Objects, key: string, { algorithm, digest }: Expected): Promise<boolean> {
  const hash = startHash(algorithm);
  const { stream } = await objects.get(key);
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return (await hash.digest()).equals(digest);
}
