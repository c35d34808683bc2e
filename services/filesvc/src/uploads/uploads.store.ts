import type { Leases } from '@dtplatform/lease';
import { absent, before, oneOf, shareCommits } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import { contentOfUpload, inBatches, remainsOf } from '../events/domain-events.store.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import type { FileChange } from '../files/file-change.js';
import { fileWriter } from '../files/file-writer.store.js';
import type { File } from '../files/file.js';
import { fileModel } from '../files/file.model.js';
import { uploadMetaOf } from './upload.js';
import type { Upload } from './upload.js';
import { uploadLeases, uploadModel } from './upload.model.js';

const DEAD_AFTER_MS = 10_000;

export function createUploadStore(mongo: Mongo, events: DomainEvents) {
  const files = mongo.model(fileModel);
  const uploads = mongo.model(uploadModel);
  const writer = fileWriter(mongo, events);
  const leases = uploadLeases(mongo);
  const unheldSince = (time: Date) => leases.free({ touchedAt: before(time) });

  const shared = sharedUploadWrites({ mongo, leases, writer, events });

  /** Initiating an upload of zero bytes also completes it: its response commits with the completion. */
  const begin = <T>({ size }: Upload, write: () => Promise<T>): Promise<T> =>
    size === 0 ? mongo.apart(write) : write();

  return {
    find: async (id: string): Promise<Upload | undefined> => (await uploads.findById(id).lean()) ?? undefined,

    /** @throws 400 when the name is taken */
    beginNew: (upload: Upload, file: File): Promise<File> => begin(upload, () => shared.beginNew({ upload, file })),

    /**
     * Replaces the previous upload of an existing file.
     * @returns undefined when the file no longer exists
     * @throws 409 while a writer holds the previous upload
     */
    beginAgain: (upload: Upload): Promise<File | undefined> =>
      begin(upload, () =>
        mongo.transaction(async (session) => {
          const file = await files.findById(upload.fileId).session(session).lean();
          if (!file) return undefined;
          await dropBefore(file, session);
          await uploads.create([upload], { session });
          return writer.replace(withUpload(file, upload), session);
        }),
      ),

    /** Makes the content the file's tip. Undefined when the upload was removed or another writer holds the lease. */
    commit: (held: Upload, decide: (file: File) => FileChange): Promise<File | undefined> =>
      shared.commit({ held, decide }),

    /**
     * Removes an upload, and its file if it has no version yet. The worker discards the content.
     * @param abandonedSince only without a writer, and without activity since
     * @returns false when it no longer exists
     */
    cancel: (upload: Upload, abandonedSince?: Date): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const unmoved = abandonedSince ? unheldSince(abandonedSince) : {};
        const removed = await uploads.findOneAndDelete({ ...unmoved, _id: upload._id }, { session }).lean();
        if (!removed) return false;
        await events.discard(session, contentOfUpload(removed));
        const ofUpload = { _id: upload.fileId, 'internal.uploadId': upload._id };
        const isNew = { _tipId: absent() };
        const file = await files.findOneAndDelete({ ...ofUpload, ...isNew }, { session }).lean();
        if (file) await events.usage(session, [{ file, usage: [], records: -1 }]);
        else await files.updateOne(ofUpload, { $unset: { 'internal.uploadId': 1 } }, { session });
        return true;
      }),

    /** Uploads whose writer died, including complete ones. */
    async findStale(limit: number): Promise<Upload[]> {
      const time = new Date(Date.now() - DEAD_AFTER_MS);
      const lost = await leases.findLost({ touchedAt: { $lt: time } }, limit);
      const uncompleted = {
        isCompleting: true,
        touchedAt: before(time),
        'lease.until': absent(),
      };
      return [...lost, ...(await uploads.find(uncompleted).limit(limit).lean())];
    },
    findAbandoned: (since: Date, limit: number): Promise<Upload[]> =>
      uploads.find(unheldSince(since)).limit(limit).lean(),
  };

  /** @throws 409 while a writer holds the unfinished upload */
  async function dropBefore({ internal: { uploadId } }: File, session: ClientSession): Promise<void> {
    if (uploadId === undefined) return;
    const dropped = await uploads.findOneAndDelete(leases.free({ _id: uploadId }), { session }).lean();
    if (!dropped) throw errors.uploadRunning();
    await events.discard(session, contentOfUpload(dropped));
  }
}

export type UploadStore = ReturnType<typeof createUploadStore>;

/** A file without content takes the status of the upload; a complete file only refers to it. */
function withUpload(file: File, upload: Upload): File {
  const internal = { ...file.internal, uploadId: upload._id };
  if (file._tipId !== undefined) return { ...file, internal };
  const tags = upload.tags ?? file._tags;
  return { ...file, _status: upload.status, _tags: tags, _uploadMeta: uploadMetaOf(upload), internal };
}

interface Deps {
  mongo: Mongo;
  leases: Leases<Upload>;
  writer: ReturnType<typeof fileWriter>;
  events: DomainEvents;
}

interface End {
  held: Upload;
  decide: (file: File) => FileChange;
}

/** Writes that concurrent requests share. */
function sharedUploadWrites({ mongo, leases, writer, events }: Deps) {
  const files = mongo.model(fileModel);
  const uploads = mongo.model(uploadModel);

  const beginNew = shareCommits(mongo, (begun: { upload: Upload; file: File }[]) =>
    writer.transaction(async (session) => {
      await writer.create(
        begun.map(({ file }) => ({ file, usage: [] })),
        session,
      );
      const made = begun.map(({ upload }) => upload);
      await uploads.insertMany(made, { session, lean: true });
      return begun.map(({ file }) => file);
    }),
  );

  const commit = shareCommits(mongo, (ends: End[]) =>
    mongo.transaction(async (session) => {
      const held = { $or: ends.map((end) => leases.heldBy(end.held)) } as never;
      const ended = new Map((await uploads.find(held).session(session).lean()).map((upload) => [upload._id, upload]));
      await uploads.deleteMany({ _id: oneOf([...ended.keys()]) }, { session });
      const fileIds = [...ended.values()].map(({ fileId }) => fileId);
      const found = await files
        .find({ _id: oneOf(fileIds) })
        .session(session)
        .lean();
      const fileOf = new Map(found.map((file) => [file.internal.uploadId, file]));
      const completed = ends.filter(({ held: { _id } }) => ended.has(_id) && fileOf.has(_id));
      const changes = completed.map(({ held: { _id }, decide }) => decide(fileOf.get(_id)!));
      const changed = await writer.change(changes, session);
      const discarded = [...ended.values()].map((upload) =>
        fileOf.has(upload._id) ? remainsOf(upload) : contentOfUpload(upload),
      );
      for (const batch of inBatches(discarded)) await events.discard(session, batch);
      return ends.map((end) => changed[completed.indexOf(end)]);
    }),
  );

  return { beginNew, commit };
}
