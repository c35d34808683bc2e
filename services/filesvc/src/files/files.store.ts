import type { Listing, Paging } from '@dtplatform/contracts';
import {
  before,
  coalesce,
  isTimeLimitExceeded,
  listPage,
  mongoErrors,
  MongoServerError,
  oneOf,
  queryLimits,
  scopeFilter,
  shareCommits,
  SHARED_WRITE,
  trusted,
} from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import type { Totals } from '@dtplatform/queue';
import { errors } from '../errors.js';
import { contentOfDraft, totalOf } from '../events/domain-events.store.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import type { FileChange, Writing } from './file-change.js';
import { fileWriter } from './file-writer.store.js';
import type { Draft, File } from './file.js';
import { draftModel, fileModel } from './file.model.js';
import type { FileQuery } from './files.js';
import { comparable } from './placement.js';

export function createFileStore(mongo: Mongo, totals: Totals, events: DomainEvents) {
  const files = mongo.model(fileModel);
  const drafts = mongo.model(draftModel);
  const writer = fileWriter(mongo, events);

  /** Versions replace their drafts and take over the content. */
  async function removeDrafts(changes: FileChange[], session: ClientSession): Promise<void> {
    const ids = changes.flatMap(({ version }) => version?._id ?? []);
    if (ids.length === 0) return;
    const { deletedCount } = await drafts.deleteMany({ _id: oneOf(ids) }, { session });
    if (deletedCount < ids.length) throw errors.uploadTakenOver();
  }

  const create = shareCommits<FileChange, void>(mongo, (changes) =>
    writer.transaction(async (session) => {
      await writer.create(changes, session);
      await removeDrafts(changes, session);
      return changes.map(() => undefined);
    }),
  );

  const when = <T>({ apart = false }: Writing = {}, write: () => Promise<T>): Promise<T> =>
    apart ? mongo.apart(write) : write();

  async function count(query: FileQuery): Promise<number> {
    const { scope } = query;
    if (isUnfiltered(query)) {
      if (scope === 'everything') return files.estimatedDocumentCount();
      const total = scope.some.length === 0 ? await totalOf(totals, scope.all) : undefined;
      if (total !== undefined) return total;
    }
    return files.countDocuments(filterOf(query), queryLimits());
  }

  return {
    find: async (id: string): Promise<File | undefined> => (await files.findById(id).lean()) ?? undefined,
    findMany: async (ids: string[]): Promise<File[]> =>
      ids.length === 0 ? [] : files.find({ _id: oneOf(ids) }).lean(),
    /** @returns the existing folders, and the holders of the names */
    async findPlace(folderIds: string[], nameKeys: string[]): Promise<{ folders: File[]; holders: File[] }> {
      const named = { 'internal.nameKeys': oneOf(nameKeys) };
      const filter = folderIds.length > 0 ? { $or: [{ _id: oneOf(folderIds) }, named] } : named;
      const found = await files.find(filter).lean();
      return {
        folders: found.filter(({ _id }) => folderIds.includes(_id)),
        holders: found.filter(({ internal }) => internal.nameKeys.some((key) => nameKeys.includes(key))),
      };
    },

    list: (query: FileQuery, paging: Paging): Promise<Listing<File>> =>
      listPage(files, filterOf(query), { paging, total: () => count(query) }).catch((error: unknown) => {
        throw mapQueryErrors(error, query);
      }),

    /** @throws 400 when the name is taken, or when a folder no longer exists */
    create: (change: FileChange, writing?: Writing): Promise<void> => when(writing, () => create(change)),

    /**
     * `decide` runs again after a write conflict.
     * @returns undefined when the file no longer exists
     * @throws 400 when the new name is taken
     */
    change: (id: string, decide: (file: File) => FileChange, writing?: Writing): Promise<File | undefined> =>
      when(writing, () =>
        writer.transaction(async (session) => {
          const file = await files.findById(id).session(session).lean();
          if (!file) return undefined;
          const change = decide(file);
          const [changed] = await writer.change([change], session);
          await removeDrafts([change], session);
          return changed;
        }),
      ),
  };
}

export type FileStore = ReturnType<typeof createFileStore>;

const ROOT = 'root';
/** A permission on a folder covers everything below. */
export const PERMITTED_BY = ['_id', 'internal.ancestors'];

/** Combines query and scope, so that a single indexed read returns a full page. */
function filterOf({ scope, parents, ids, name, tags, status }: FileQuery): Filter {
  const conditions = [scopeFilter(scope, PERMITTED_BY)];
  for (const parent of parents ?? []) conditions.push(parent === ROOT ? atRoot(scope) : { _parents: parent });
  if (ids) conditions.push({ _id: oneOf(ids) });
  if (tags?.length) conditions.push({ _tags: trusted({ $all: tags }) });
  if (status) conditions.push({ _status: status });
  if (name !== undefined) conditions.push({ 'internal.name': trusted({ $regex: comparable(name) }) });
  return conditions.length === 1 ? conditions[0]! : { $and: conditions };
}

const isUnfiltered = ({ parents, ids, name, tags, status }: FileQuery): boolean =>
  [parents, ids, name, tags, status].every((filter) => filter === undefined);

/** Includes known namespaces to make the index selective. */
function atRoot(scope: Scope): Filter {
  if (scope === 'everything') return { _parents: trusted({ $size: 0 }) };
  return { 'internal.rootOf': oneOf([...scope.all, ...scope.some.map(({ namespace }) => namespace)]) };
}

/** MongoDB's syntax differs from RE2. What it rejects is the caller's pattern. */
function mapQueryErrors(error: unknown, { name }: FileQuery): unknown {
  if (isTimeLimitExceeded(error)) return errors.patternTooSlow({ cause: error });
  const isRejected = name !== undefined && error instanceof MongoServerError && mongoErrors(error) === undefined;
  return isRejected ? errors.invalidPattern({ cause: error }) : error;
}

export function createDraftStore(mongo: Mongo, events: DomainEvents) {
  const drafts = mongo.model(draftModel);
  const unmovedSince = (time: Date) => ({ touchedAt: before(time) });
  // Concurrent requests share an insert.
  const add = coalesce(async (added: Draft[]) => void (await drafts.insertMany(added, { lean: true })), SHARED_WRITE);
  return {
    add: (draft: Pick<Draft, '_id' | 'key'>): Promise<void> => add({ ...draft, touchedAt: new Date() }),
    setMultipart: async (id: string, multipartId: string): Promise<void> =>
      void (await drafts.updateOne({ _id: id }, { multipartId })),
    touch: async (id: string): Promise<void> =>
      void (await drafts.updateOne({ _id: id }, { $currentDate: { touchedAt: true } })),
    // Changes that a request gives up must not commit with its response.
    /**
     * Removes the draft; the worker discards its content.
     * @param abandonedSince only if the last heartbeat is older
     */
    discard: (id: string, abandonedSince?: Date): Promise<void> =>
      mongo.apart(() =>
        mongo.transaction(async (session) => {
          const filter = { _id: id, ...(abandonedSince && unmovedSince(abandonedSince)) };
          const draft = await drafts.findOneAndDelete(filter, { session }).lean();
          if (draft) await events.discard(session, contentOfDraft(draft));
        }),
      ),
    findAbandoned: (since: Date, limit: number): Promise<Draft[]> =>
      drafts.find(unmovedSince(since)).limit(limit).lean(),
  };
}

export type DraftStore = ReturnType<typeof createDraftStore>;
