import { touchedBy } from '@dtplatform/contracts';
import { deleteIfMatch, listPage, scopeFilter, trusted, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { FileSetStore } from '../../domain/filesets/ports.js';
import { fileSetModel } from './file-set.model.js';

/** File sets in MongoDB. */
export function createFileSetStore(mongo: Mongo): FileSetStore {
  const fileSets = mongo.model(fileSetModel);
  return {
    async insert(fileSet) {
      await mongo.create((session) => fileSets.insertMany([fileSet], { session }));
    },
    find: async (_id, _namespaces) => (await fileSets.findOne({ _id, _namespaces }).lean()) ?? undefined,
    list: (scope, paging) => listPage(fileSets, scopeFilter(scope), { paging }),
    async leave({ _id, _metadata }, { namespace, home, by }, precondition) {
      const filter = { _namespaces: trusted({ $all: [namespace, home] }) };
      const update = { $pull: { _namespaces: namespace }, $set: { _metadata: touchedBy(by, _metadata) } };
      return (await updateIfMatch(fileSets, _id, update, { precondition, filter })) !== undefined;
    },
    remove: async (id, precondition) => (await deleteIfMatch(fileSets, id, { precondition })) !== undefined,
  };
}
