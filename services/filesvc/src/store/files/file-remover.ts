import { oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { File, FileVersion } from '../../domain/files/file.js';
import { negated, usageOf, usageOfVersion } from '../../domain/files/usage.js';
import { MAX_VERSIONS_AT_ONCE } from '../../domain/trees/ports.js';
import { contentOfUpload, contentOfVersions, inBatches } from '../announcements.js';
import type { Announcements } from '../announcements.js';
import { uploadModel } from '../uploads/upload.model.js';
import { fileModel, versionModel } from './file.model.js';
import { fileWriter } from './file-writer.js';

/** Removes files and empty folders, as a part of a transaction. */
export function fileRemover(mongo: Mongo, announcements: Announcements) {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);
  const uploads = mongo.model(uploadModel);
  const writer = fileWriter(mongo, announcements);

  /** Removes the versions and unfinished uploads of files that are removed. The worker discards their content. */
  async function removeContents(removed: File[], session: ClientSession): Promise<void> {
    const ofFiles = { _fileId: oneOf(removed.map(({ _id }) => _id)) };
    const known = await versions.find(ofFiles).session(session).lean();
    const uploadIds = removed.flatMap(({ internal: { uploadId } }) => uploadId ?? []);
    const ofUploads = { _id: oneOf(uploadIds) };
    const unfinished = uploadIds.length > 0 ? await uploads.find(ofUploads).session(session).lean() : [];
    await versions.deleteMany(ofFiles, { session });
    if (unfinished.length > 0) await uploads.deleteMany(ofUploads, { session });
    const versionsOf = new Map<string, FileVersion[]>(removed.map(({ _id }) => [_id, []]));
    for (const version of known) versionsOf.get(version._fileId)!.push(version);
    const reports = removed.map((file) => {
      const usage = negated(usageOf(file, versionsOf.get(file._id)!));
      return { file, usage, records: -1 as const };
    });
    await announcements.usage(session, reports);
    for (const discarded of inBatches([contentOfVersions(known), ...unfinished.map(contentOfUpload)])) {
      await announcements.discard(session, discarded);
    }
  }

  /** Removes files and folders. What is in the folders must be removed with them, or be in others. */
  async function removeAll(removed: File[], session: ClientSession): Promise<void> {
    await files.deleteMany({ _id: oneOf(removed.map(({ _id }) => _id)) }, { session });
    await removeContents(removed, session);
  }

  /** The first of the files, as many as one transaction may remove with their versions. */
  async function fitting(wanted: File[], session: ClientSession): Promise<File[]> {
    const counts = await versions
      .aggregate<{ _id: string; count: number }>([
        { $match: { _fileId: { $in: wanted.map(({ _id }) => _id) } } },
        { $group: { _id: '$_fileId', count: { $sum: 1 } } },
      ])
      .session(session);
    const countOf = new Map(counts.map(({ _id, count }) => [_id, count]));
    let sum = 0;
    return wanted.filter(({ _id }) => (sum += countOf.get(_id) ?? 0) <= MAX_VERSIONS_AT_ONCE);
  }

  /** Removes the oldest versions of a file that has too many. The latest is the tip, and stays. */
  async function removeOldest(file: File, session: ClientSession): Promise<void> {
    const ofFile = versions.find({ _fileId: file._id }).sort({ _version: 1 }).limit(MAX_VERSIONS_AT_ONCE);
    const oldest = await ofFile.session(session).lean();
    await versions.deleteMany({ _id: oneOf(oldest.map(({ _id }) => _id)) }, { session });
    // Conflicts with every other write of the file: its tags decide which usage its versions are.
    await writer.replace(file, session);
    const usage = negated(oldest.flatMap((version) => usageOfVersion(file, version)));
    await announcements.usage(session, [{ file, usage, records: 0 }]);
    for (const discarded of inBatches([contentOfVersions(oldest)])) await announcements.discard(session, discarded);
  }

  return {
    removeAll,

    /** Whether the files have too many versions to be removed in one transaction. */
    async isTooMuch(wanted: File[], session: ClientSession): Promise<boolean> {
      const ofFiles = { _fileId: oneOf(wanted.map(({ _id }) => _id)) };
      return (
        (await versions.countDocuments(ofFiles, { session, limit: MAX_VERSIONS_AT_ONCE + 1 })) > MAX_VERSIONS_AT_ONCE
      );
    },

    /**
     * Removes as many of the files as fit into a transaction. If the first alone has too many versions, some of these.
     * @returns how many files were removed
     */
    async removeSome(wanted: File[], session: ClientSession): Promise<number> {
      const removed = await fitting(wanted, session);
      if (removed.length > 0) await removeAll(removed, session);
      else if (wanted[0]) await removeOldest(wanted[0], session);
      return removed.length;
    },
  };
}
