import { findPage, isDuplicateKey } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Orchestrator } from '../../domain/orchestrators/orchestrator.js';
import type { OrchestratorStore } from '../../domain/orchestrators/ports.js';
import { errors } from '../../errors.js';
import { inScope } from '../in-scope.js';
import { ORCHESTRATORS } from '../indexes.js';

/** Orchestrators in MongoDB. */
export function createOrchestratorStore({ db }: Mongo): OrchestratorStore {
  const orchestrators = db.collection<Orchestrator>(ORCHESTRATORS);
  return {
    async insert(orchestrator) {
      try {
        await orchestrators.insertOne(orchestrator, { ignoreUndefined: true });
      } catch (error) {
        throw isDuplicateKey(error, '_name') ? errors.nameTaken({ cause: error }) : error;
      }
    },
    find: async (id) => (await orchestrators.findOne({ _id: id })) ?? undefined,
    async list(scope, paging) {
      const filter = inScope(scope, '_id');
      const [list, total] = await Promise.all([
        findPage(orchestrators, filter, { ...paging, sort: { _id: 1 } }),
        orchestrators.countDocuments(filter),
      ]);
      return { list, total };
    },
  };
}
