import { touchedBy } from '@dtplatform/contracts';
import type { Author, Listing, Paging, Precondition } from '@dtplatform/contracts';
import { deleteIfMatch, listPage, modelOf, oneOf, scopeFilter, trusted, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import type { NamespaceContents } from '@dtplatform/queue';
import { FileSet } from './file-set.js';

export const fileSetModel = modelOf('filesets', FileSet, {
  indexes: [{ key: { _namespaces: 1, _id: 1 }, name: 'namespace' }],
});

export function createFileSetStore(mongo: Mongo) {
  const fileSets = mongo.model(fileSetModel);
  return {
    async insert(fileSet: FileSet): Promise<void> {
      await mongo.create((session) => fileSets.insertMany([fileSet], { session }));
    },
    find: async (_id: string, _namespaces: string): Promise<FileSet | undefined> =>
      (await fileSets.findOne({ _id, _namespaces }).lean()) ?? undefined,
    list: (scope: Scope, paging: Paging): Promise<Listing<FileSet>> =>
      listPage(fileSets, scopeFilter(scope), { paging }),
    /**
     * Takes it out of a namespace.
     * @returns false when it is no longer in both
     * @throws 412
     */
    async leave(
      { _id, _metadata }: FileSet,
      { namespace, home, by }: { namespace: string; home: string; by: Author },
      precondition: Precondition,
    ): Promise<boolean> {
      const filter = { _namespaces: trusted({ $all: [namespace, home] }) };
      const update = { $pull: { _namespaces: namespace }, $set: { _metadata: touchedBy(by, _metadata) } };
      return (await updateIfMatch(fileSets, _id, update, { precondition, filter })) !== undefined;
    },
    /**
     * @returns false when it no longer exists
     * @throws 412
     */
    remove: async (id: string, precondition: Precondition): Promise<boolean> =>
      (await deleteIfMatch(fileSets, id, { precondition })) !== undefined,
  };
}

export type FileSetStore = ReturnType<typeof createFileSetStore>;

const BATCH = 100;

/** File sets that are also in other namespaces stay there. */
export function createFileSetContents(mongo: Mongo): NamespaceContents {
  const fileSets = mongo.model(fileSetModel);
  return {
    async removeBatch(namespaces) {
      const held = { _namespaces: oneOf(namespaces) };
      const found = await fileSets
        .find(held, { _namespaces: 1 })
        .limit(BATCH)
        .lean<Pick<FileSet, '_id' | '_namespaces'>[]>();
      const stays = ({ _namespaces }: Pick<FileSet, '_namespaces'>) =>
        _namespaces.some((namespace) => !namespaces.includes(namespace));
      const these = (sets: { _id: string }[]) => ({ _id: oneOf(sets.map(({ _id }) => _id)) });
      await fileSets.deleteMany(these(found.filter((one) => !stays(one))));
      const update = { $pullAll: { _namespaces: namespaces }, $set: { '_metadata._updatedAt': Date.now() } };
      await fileSets.updateMany({ ...these(found.filter(stays)), ...held }, update);
      return found.length > 0;
    },
  };
}
