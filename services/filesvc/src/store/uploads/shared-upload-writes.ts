import type { Leases } from '@dtplatform/lease';
import { oneOf, shareCommits } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { File } from '../../domain/files/file.js';
import type { FileChange } from '../../domain/files/ports.js';
import type { Upload } from '../../domain/uploads/upload.js';
import { contentOfUpload, inBatches, remainsOf } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { fileModel } from '../files/file.model.js';
import type { fileWriter } from '../files/file-writer.js';
import { uploadModel } from './upload.model.js';

interface Deps {
  mongo: Mongo;
  leases: Leases<Upload>;
  writer: ReturnType<typeof fileWriter>;
  announcements: Announcements;
}

interface End {
  held: Upload;
  decide: (file: File) => FileChange;
}

/** The writes of uploads that requests at the same time share. */
export function sharedUploadWrites({ mongo, leases, writer, announcements }: Deps) {
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
      for (const batch of inBatches(discarded)) await announcements.discard(session, batch);
      return ends.map((end) => changed[completed.indexOf(end)]);
    }),
  );

  return { beginNew, commit };
}
