import { lockParents, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { contentOfUpload, contentOfVersions, inBatches } from '../events/domain-events.store.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import { fileWriter } from '../files/file-writer.store.js';
import type { File, FileVersion } from '../files/file.js';
import { fileModel, versionModel } from '../files/file.model.js';
import { negated, usageOf, usageOfVersion } from '../files/usage.js';
import { uploadModel } from '../uploads/upload.model.js';
import { MAX_VERSIONS_AT_ONCE, withAncestors } from './trees.js';

const FOR_EVER = Number.MAX_SAFE_INTEGER;

export const foldersIn = (files: File[]): string[] =>
  files.filter(({ _type }) => _type === 'dir').map(({ _id }) => _id);

/** Writes of the folder tree. Every function takes part in the caller's transaction. */
export function treeWriter(mongo: Mongo) {
  const files = mongo.model(fileModel);
  // Ancestors are invisible to callers, so the revision stays; the model would raise it.
  const collection = mongo.collection(fileModel);

  async function find(ids: string[], session: ClientSession): Promise<File[]> {
    if (ids.length === 0) return [];
    return files
      .find({ _id: oneOf(ids) })
      .session(session)
      .lean();
  }

  /** A name that is taken in the new place keeps its old keys, which nobody else can take. */
  async function withFreeNames(moved: File[], before: Map<string, File>, session: ClientSession): Promise<File[]> {
    const wanted = moved.flatMap(({ internal }) => internal.nameKeys);
    const holders = await files
      .find({ 'internal.nameKeys': oneOf(wanted) }, { 'internal.nameKeys': 1 })
      .session(session)
      .lean<Pick<File, '_id' | 'internal'>[]>();
    const taken = new Map(holders.flatMap(({ _id, internal }) => internal.nameKeys.map((key) => [key, _id])));
    return moved.map((file) => {
      const { nameKeys } = file.internal;
      const isFree = nameKeys.every((key) => (taken.get(key) ?? file._id) === file._id);
      for (const key of isFree ? nameKeys : []) taken.set(key, file._id);
      return isFree
        ? file
        : { ...file, internal: { ...file.internal, nameKeys: before.get(file._id)!.internal.nameKeys } };
    });
  }

  return {
    /** Locks the folders in this transaction, and closes them to new files. */
    async close(ids: string[], session: ClientSession): Promise<void> {
      if (ids.length === 0) return;
      await lockParents(mongo, ids, session);
      await collection.updateMany({ _id: { $in: ids } }, { $set: { 'internal.removingUntil': FOR_EVER } }, { session });
    },

    /**
     * Writes new parents and ancestors.
     * @param before the files as stored
     * @param moved further ancestors, as they will be stored
     */
    async place(placed: File[], before: File[], session: ClientSession, moved: File[] = []): Promise<void> {
      if (placed.length === 0) return;
      const known = new Set([...placed, ...moved].map(({ _id }) => _id));
      const others = placed.flatMap(({ _parents }) => _parents).filter((id) => !known.has(id));
      const outside = [...moved, ...(await find([...new Set(others)], session))];
      const stored = new Map(before.map((file) => [file._id, file]));
      const isMoved = ({ _id, _parents }: File) => _parents.length !== stored.get(_id)!._parents.length;
      const complete = withAncestors(placed, outside);
      const taken = await withFreeNames(complete.filter(isMoved), stored, session);
      const writes = [
        ...taken.map((file) => ({
          replaceOne: { filter: { _id: file._id }, replacement: { ...file, _revision: file._revision + 1 } },
        })),
        ...complete
          .filter((file) => !isMoved(file))
          .map(({ _id, internal: { ancestors } }) => ({
            updateOne: { filter: { _id }, update: { $set: { 'internal.ancestors': ancestors } } },
          })),
      ];
      await collection.bulkWrite(writes, { session });
    },
  };
}

export function fileRemover(mongo: Mongo, events: DomainEvents) {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);
  const uploads = mongo.model(uploadModel);
  const writer = fileWriter(mongo, events);

  /** The worker discards the content. */
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
    await events.usage(session, reports);
    for (const discarded of inBatches([contentOfVersions(known), ...unfinished.map(contentOfUpload)])) {
      await events.discard(session, discarded);
    }
  }

  /** The content of the folders must be removed with them or be in others. */
  async function removeAll(removed: File[], session: ClientSession): Promise<void> {
    await files.deleteMany({ _id: oneOf(removed.map(({ _id }) => _id)) }, { session });
    await removeContents(removed, session);
  }

  /** The first files, as many as one transaction may remove with their versions. */
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

  /** Removes the oldest versions of a file with too many. The tip stays. */
  async function removeOldest(file: File, session: ClientSession): Promise<void> {
    const ofFile = versions.find({ _fileId: file._id }).sort({ _version: 1 }).limit(MAX_VERSIONS_AT_ONCE);
    const oldest = await ofFile.session(session).lean();
    await versions.deleteMany({ _id: oneOf(oldest.map(({ _id }) => _id)) }, { session });
    // Conflicts with other writes of the file, whose tags determine the usage of its versions.
    await writer.replace(file, session);
    const usage = negated(oldest.flatMap((version) => usageOfVersion(file, version)));
    await events.usage(session, [{ file, usage, records: 0 }]);
    for (const discarded of inBatches([contentOfVersions(oldest)])) await events.discard(session, discarded);
  }

  return {
    removeAll,

    async isTooMuch(wanted: File[], session: ClientSession): Promise<boolean> {
      const ofFiles = { _fileId: oneOf(wanted.map(({ _id }) => _id)) };
      return (
        (await versions.countDocuments(ofFiles, { session, limit: MAX_VERSIONS_AT_ONCE + 1 })) > MAX_VERSIONS_AT_ONCE
      );
    },

    /**
     * Removes as many files as fit into a transaction, or some versions of the first.
     * @returns the number of files removed
     */
    async removeSome(wanted: File[], session: ClientSession): Promise<number> {
      const removed = await fitting(wanted, session);
      if (removed.length > 0) await removeAll(removed, session);
      else if (wanted[0]) await removeOldest(wanted[0], session);
      return removed.length;
    },
  };
}
