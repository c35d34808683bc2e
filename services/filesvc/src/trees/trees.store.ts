import { matchesPrecondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { lockParents, noneOf, oneOf, queryLimits, scopeFilter } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { shownTask } from '@dtplatform/queue';
import type { Tasks } from '@dtplatform/queue';
import { errors } from '../errors.js';
import { removalAccepted } from '../events/domain-events.store.js';
import type { DomainEvents } from '../events/domain-events.store.js';
import type { FileChange } from '../files/file-change.js';
import { fileWriter } from '../files/file-writer.store.js';
import type { File } from '../files/file.js';
import { fileModel } from '../files/file.model.js';
import { PERMITTED_BY } from '../files/files.store.js';
import type { MoveLimit } from '../files/placement.js';
import { fileRemover, foldersIn, treeWriter } from './tree-writes.store.js';
import { MAX_AT_ONCE, MAX_FOLDERS_AT_ONCE, planRemoval } from './trees.js';
import type { Removal, RemovalTask } from './trees.js';

type Limit = Pick<Removal, 'scope'> & Partial<MoveLimit & Pick<Removal, 'homes'>>;

export interface RemovalInput {
  ids: string[];
}

interface Deps {
  mongo: Mongo;
  events: DomainEvents;
  tasks: Tasks;
  /** The time limit for reading everything below a large folder. */
  maxCheckMs: number;
}

export function createTreeStore({ mongo, events, tasks, maxCheckMs }: Deps) {
  const files = mongo.model(fileModel);
  const writer = fileWriter(mongo, events);
  const trees = treeWriter(mongo);
  const remover = fileRemover(mongo, events);

  /** Undefined when too many. */
  async function findBelow(filter: Filter, session: ClientSession): Promise<File[] | undefined> {
    const found = files.find(filter).limit(MAX_AT_ONCE + 1);
    const below = await found.session(session).lean();
    const isTooMuch = below.length > MAX_AT_ONCE || foldersIn(below).length > MAX_FOLDERS_AT_ONCE;
    return isTooMuch ? undefined : below;
  }

  /** @throws 403 when something below exceeds a limit, 503 when checking takes too long */
  async function requireBelow(ids: string[], limits: Limit[], session?: ClientSession): Promise<void> {
    const outsides = limits.filter(({ scope }) => scope !== 'everything').map(outsideOf);
    if (outsides.length === 0) return;
    const outside = { $and: [belowAny(ids), { $or: outsides }] };
    // Without a transaction, millions of files may be below. Only a disconnect ends the query early.
    const times = session ? queryLimits() : { ...queryLimits(), maxTimeMS: maxCheckMs };
    const found = await files.findOne(outside, { _id: 1 }, { session, ...times }).lean();
    if (found)
      throw commonErrors.forbidden({ message: 'The caller lacks a permission on some of the contents of the folder.' });
  }

  return {
    /**
     * Removes immediately; files that are also in other folders stay there. A folder leaves a namespace only if nothing
     * below is in it.
     * @returns `too-large` for more than `MAX_AT_ONCE` entries, `MAX_FOLDERS_AT_ONCE` folders or `MAX_VERSIONS_AT_ONCE`
     * versions; undefined when one no longer exists
     * @throws 400 when something is below a folder that would leave a namespace, 403 when something below is outside of
     * the scope, 412
     */
    remove: (removal: Removal): Promise<'removed' | 'too-large' | undefined> =>
      writer.transaction(async (session) => {
        const roots = await findRoots(mongo, removal, session);
        if (!roots) return undefined;
        const { ids } = removal;
        const below = await findBelow({ ...belowAny(ids), _id: noneOf(ids) }, session);
        if (!below) return 'too-large';
        const plan = planRemoval(ids, below);
        const removed = [...roots, ...plan.removed];
        if (await remover.isTooMuch(removed, session)) return 'too-large';
        await requireBelow(ids, [removal], session);
        await lockParents(mongo, foldersIn([...roots, ...below]), session);
        await remover.removeAll(removed, session);
        await trees.place(plan.kept, below, session);
        await leave(mongo, writer, removal, session);
        return 'removed';
      }),

    /**
     * Closes the folders and queues their removal.
     * @returns the id of the task; undefined when one no longer exists
     * @throws like `remove`
     */
    async acceptRemoval(removal: Removal): Promise<string | undefined> {
      // Outside of the transaction, because it may take long. Files added in the meantime are removed as well.
      await requireBelow(removal.ids, [removal]);
      return mongo.transaction(async (session) => {
        const roots = await findRoots(mongo, removal, session);
        if (!roots) return undefined;
        await trees.close(foldersIn(roots), session);
        await leave(mongo, writer, removal, session);
        return tasks.create<RemovalInput>(session, {
          message: removalAccepted,
          namespaces: namespacesOf(roots),
          input: { ids: removal.ids },
          createdById: removal.by.id,
          reqBodySize: 0,
        });
      });
    },

    async findTask(id: string): Promise<RemovalTask | undefined> {
      const task = await tasks.get(id);
      return task && { task: shownTask(task), createdById: task._createdById };
    },

    /**
     * Replaces a file or folder by what `decide` returns, and moves everything below.
     * @param limits for everything below
     * @returns undefined when it no longer exists
     * @throws 400 for a taken name, a cycle, too much below, or a missing folder; 403 when something below exceeds a
     * limit; 409 when a folder above was moved
     */
    move: (id: string, decide: (file: File) => FileChange, limits: MoveLimit[]): Promise<File | undefined> =>
      writer.transaction(async (session) => {
        const before = await files.findById(id).session(session).lean();
        if (!before) return undefined;
        const change = decide(before);
        const { file } = change;
        if (file.internal.ancestors.includes(id)) throw errors.folderCycle();
        await writer.requireFolders([file], session);
        const below = await findBelow({ 'internal.ancestors': id }, session);
        if (!below) throw errors.folderTooLarge();
        await requireBelow([id], limits, session);
        if (file._type === 'dir') await lockParents(mongo, foldersIn([file, ...below]), session);
        await trees.place(below, below, session, [file]);
        await writer.reportUsage([change], session);
        return writer.replace(file, session);
      }),
  };
}

export type TreeStore = ReturnType<typeof createTreeStore>;

/**
 * @returns undefined when one no longer exists
 * @throws 412
 */
async function findRoots(
  mongo: Mongo,
  { ids, leaving, precondition }: Removal,
  session: ClientSession,
): Promise<File[] | undefined> {
  const all = [...ids, ...leaving.ids];
  const roots = await mongo
    .model(fileModel)
    .find({ _id: oneOf(all) }, null, { session })
    .lean();
  if (roots.length < all.length) return undefined;
  if (!roots.every((root) => matchesPrecondition(root, precondition))) throw commonErrors.preconditionFailed();
  return roots.filter(({ _id }) => ids.includes(_id));
}

/** @throws 400 when something below a folder is still in the namespace */
async function leave(
  mongo: Mongo,
  writer: ReturnType<typeof fileWriter>,
  { leaving: { ids, namespace }, by }: Removal,
  session: ClientSession,
): Promise<void> {
  if (ids.length === 0) return;
  const files = mongo.model(fileModel);
  const isIn = { _namespaces: namespace };
  const found = await files.find({ _id: oneOf(ids), ...isIn }, null, { session }).lean();
  await lockParents(mongo, foldersIn(found), session);
  // Children leave first.
  for (const file of found.toSorted((a, b) => b.internal.ancestors.length - a.internal.ancestors.length)) {
    await writer.leave(file, [namespace], by, session);
  }
  if (await files.exists({ ...belowAny(ids), ...isIn }).session(session)) throw errors.folderNotEmpty();
}

const namespacesOf = (files: File[]): string[] => [...new Set(files.flatMap(({ _namespaces }) => _namespaces))];
const belowAny = (ids: string[]): Filter => ({ 'internal.ancestors': oneOf(ids) });
/** Files that exceed a limit: for a move, in its namespaces; for a removal, in their home and the folder's. */
const outsideOf = ({ scope, namespaces, homes = [] }: Limit): Filter => ({
  ...(namespaces && { _namespaces: oneOf(namespaces) }),
  $nor: [
    scopeFilter(scope, PERMITTED_BY, namespaces ? '_namespaces' : 'internal.home'),
    ...homes.map(({ id, home }) => ({ 'internal.ancestors': id, _namespaces: home })),
  ],
});
