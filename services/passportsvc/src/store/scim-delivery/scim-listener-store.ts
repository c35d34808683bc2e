import { deleteIfMatch, listPage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { ScimListenerStore } from '../../domain/scim-delivery/ports.js';
import { errors } from '../../errors.js';
import { insertNew } from '../insert-new.js';
import { scimListenerModel } from './scim-listener.model.js';

export function createScimListenerStore(mongo: Mongo): ScimListenerStore {
  const listeners = mongo.model(scimListenerModel);
  return {
    find: async (id) => (await listeners.findById(id).lean()) ?? undefined,
    list: (paging) => listPage(listeners, {}, { paging }),
    async insert(listener) {
      if (!(await insertNew(mongo, listeners, listener))) throw errors.listenerExists();
    },
    remove: async (id, precondition) => (await deleteIfMatch(listeners, id, { precondition })) !== undefined,
  };
}
