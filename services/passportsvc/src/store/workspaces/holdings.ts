import type { Mongo } from '@dtplatform/mongo';
import type { Holdings } from '@dtplatform/service';
import { usageOf } from '../../domain/workspaces/usage.js';
import { workspaceModel } from './workspace.model.js';

/** The workspaces in a namespace, as they are stored. */
export function createHoldings(mongo: Mongo): Holdings {
  const workspaces = mongo.db.collection(workspaceModel.collection);
  return {
    async ofNamespace(namespace, options) {
      const count = await workspaces.countDocuments({ _namespaces: namespace }, options);
      return usageOf([namespace], 1, 0).flatMap(({ _changes }) =>
        _changes.map((change) => ({ ...change, _amount: count })),
      );
    },
  };
}
