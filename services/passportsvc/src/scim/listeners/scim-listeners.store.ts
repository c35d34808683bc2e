import { deleteIfMatch, listPage, modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { insertNew } from '../../queries/queries.store.js';
import type { ScimListenerStore } from '../deliveries/deliveries.js';
import { ScimListener } from './scim-listeners.js';

export const scimListenerModel = modelOf('scim_listeners', ScimListener, {
  indexes: [
    { key: { scimServerDetailId: 1, eventName: 1 }, name: 'server_event', unique: true },
    { key: { eventName: 1 }, name: 'event' },
  ],
});

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
