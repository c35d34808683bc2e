import { deleteIfMatch, listPage, scopeFilter } from '@dtplatform/mongo';
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
    remove: async (id, precondition) => (await deleteIfMatch(fileSets, id, { precondition })) !== undefined,
  };
}
