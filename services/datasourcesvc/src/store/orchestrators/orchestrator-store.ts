import { isDuplicateKey, listPage, scopeFilter } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { OrchestratorStore } from '../../domain/orchestrators/ports.js';
import { errors } from '../../errors.js';
import { orchestratorModel } from './orchestrator.model.js';

/** Orchestrators in MongoDB. */
export function createOrchestratorStore(mongo: Mongo): OrchestratorStore {
  const orchestrators = mongo.model(orchestratorModel);
  return {
    async insert(orchestrator) {
      try {
        await mongo.create((session) => orchestrators.insertMany([orchestrator], { session }));
      } catch (error) {
        throw isDuplicateKey(error, 'unique_name') ? errors.nameTaken({ cause: error }) : error;
      }
    },
    find: async (id) => (await orchestrators.findById(id).lean()) ?? undefined,
    list: (scope, paging) => listPage(orchestrators, scopeFilter(scope), { paging }),
  };
}
