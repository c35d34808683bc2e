import type { Author } from '@dtplatform/contracts';
import { after, isDuplicateKey, oneOf, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import type { FileChange } from './file-change.js';
import type { File, FileVersion } from './file.js';
import { fileModel, NAME_INDEX, versionModel } from './file.model.js';
import { ancestorsBelow, isOpenFolder, leaveNamespaces } from './placement.js';
import { fileCounted, negated, usageOfVersion } from './usage.js';
import type { UsageChange } from './usage.js';

/** Bounds the size of usage messages. */
const VERSIONS_AT_ONCE = 500;

/** Writes files with their versions and usage. Every function takes part in the caller's transaction. */
export function fileWriter(mongo: Mongo, events: DomainEvents) {
  const files = mongo.model(fileModel);
  const versions = mongo.model(versionModel);

  const replace = async (decided: File, session: ClientSession): Promise<File> =>
    (await replaceAll(mongo, [decided], session))[0]!;

  /**
   * Locks the folders until the commit.
   * @throws 400 when a target folder was removed or left a namespace, 409 when one was moved
   */
  async function requireFolders(placed: Placed[], session: ClientSession): Promise<void> {
    const ids = [...new Set(placed.flatMap(({ _parents }) => _parents))];
    if (ids.length === 0) return;
    await touchParents(mongo, ids, session);
    const fields = { _type: 1, _namespaces: 1, internal: 1 };
    const found = await files
      .find({ _id: oneOf(ids) }, fields)
      .session(session)
      .lean();
    const folders = new Map(found.map((folder) => [folder._id, folder]));
    for (const file of placed) requireSamePlace(file, folders);
  }

  /** Call it before new versions are stored. */
  async function reportUsage(changes: FileChange[], session: ClientSession): Promise<void> {
    const report = (file: File, usage: UsageChange[]) => ({ file, usage, records: 0 as const });
    await events.usage(
      session,
      changes.map(({ file, usage }) => report(file, usage)),
    );
    for (const { file, recount } of changes) {
      if (!recount) continue;
      await eachBatch(mongo, file._id, session, (batch) => events.usage(session, [report(file, recount(batch))]));
    }
  }

  async function leave(file: File, left: string[], by: Author, session: ClientSession): Promise<void> {
    const remaining = leaveNamespaces(file, left, by);
    if (!remaining) return;
    await events.move(session, file, remaining, file._tipId === undefined ? [] : [fileCounted(file)]);
    const gone = { ...file, _namespaces: file._namespaces.filter((namespace) => left.includes(namespace)) };
    await eachBatch(mongo, file._id, session, (batch) =>
      events.usage(session, [
        { file: gone, usage: negated(batch.flatMap((version) => usageOfVersion(file, version))), records: 0 },
      ]),
    );
    await replace(remaining, session);
  }

  async function addVersions(changes: FileChange[], session: ClientSession): Promise<void> {
    const added = changes.flatMap(({ version, isDrawn }) => (version ? { version, isDrawn } : []));
    // Built from validated input: casting again would only cost time.
    const made = added.map(({ version }) => version);
    if (made.length > 0) await versions.insertMany(made, { session, lean: true });
    const drawn = added.filter(({ isDrawn }) => isDrawn).map(({ version }) => version);
    await events.requestPreviews(session, drawn);
  }

  return {
    replace,
    requireFolders,
    reportUsage,
    leave,

    /** @throws 400 when the name of a file is taken */
    transaction: <T>(work: (session: ClientSession) => Promise<T>): Promise<T> =>
      mongo.transaction(work).catch((error: unknown) => {
        throw isDuplicateKey(error, NAME_INDEX) ? errors.nameTaken({ cause: error }) : error;
      }),

    async create(changes: FileChange[], session: ClientSession): Promise<void> {
      const created = changes.map(({ file }) => file);
      await requireFolders(created, session);
      await files.insertMany(created, { session, lean: true });
      await addVersions(changes, session);
      await events.usage(
        session,
        changes.map(({ file, usage }) => ({ file, usage, records: 1 })),
      );
    },

    async change(changes: FileChange[], session: ClientSession): Promise<File[]> {
      await reportUsage(changes, session);
      await addVersions(changes, session);
      const decided = changes.map(({ file }) => file);
      return replaceAll(mongo, decided, session);
    },
  };
}

/**
 * Replaces whole documents, so that optional fields can be removed. The transaction reruns when another one has changed
 * a file since it was read.
 */
async function replaceAll(mongo: Mongo, decided: File[], session: ClientSession): Promise<File[]> {
  const changed = decided.map((file) => ({ ...file, _revision: file._revision + 1 }));
  const writes = changed.map((file) => ({ replaceOne: { filter: { _id: file._id }, replacement: file } }));
  const files = mongo.collection(fileModel);
  if (writes.length > 0) await files.bulkWrite(writes, { session, ignoreUndefined: true });
  return changed;
}

type Placed = Pick<File, '_parents' | '_namespaces' | 'internal'>;
type Folder = Pick<File, '_type' | '_namespaces' | 'internal' | '_id'>;

/**
 * @param folders those that exist
 * @throws 400, 409
 */
function requireSamePlace({ _parents, _namespaces, internal }: Placed, folders: Map<string, Folder>): void {
  const above = _parents.map((id) => folders.get(id));
  const isUsable = (folder: Folder | undefined): folder is Folder =>
    folder !== undefined && isOpenFolder(folder) && _namespaces.every((one) => folder._namespaces.includes(one));
  if (!above.every(isUsable)) throw errors.unknownParent();
  // Permissions depend on the ancestors.
  const ancestors = ancestorsBelow(above);
  const isSame =
    ancestors.length === internal.ancestors.length && ancestors.every((id) => internal.ancestors.includes(id));
  if (!isSame) throw errors.folderMoved();
}

async function eachBatch(
  mongo: Mongo,
  _fileId: string,
  session: ClientSession,
  work: (batch: FileVersion[]) => Promise<void>,
): Promise<void> {
  let last = -Infinity;
  for (;;) {
    const later = mongo
      .model(versionModel)
      .find({ _fileId, _version: after(last) })
      .sort({ _version: 1 });
    const batch = await later.limit(VERSIONS_AT_ONCE).session(session).lean();
    if (batch.length > 0) await work(batch);
    if (batch.length < VERSIONS_AT_ONCE) return;
    last = batch.at(-1)!._version;
  }
}
