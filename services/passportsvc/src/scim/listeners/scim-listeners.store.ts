import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { deleteIfMatch, listPage, modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { insertNew } from '../../queries/queries.store.js';
import { ScimListener } from './scim-listeners.js';

export const scimListenerModel = modelOf('scim_listeners', ScimListener, {
  indexes: [
    { key: { scimServerDetailId: 1, eventName: 1 }, name: 'server_event', unique: true },
    { key: { eventName: 1 }, name: 'event' },
  ],
});

export function createScimListenerStore(mongo: Mongo) {
  const listeners = mongo.model(scimListenerModel);
  return {
    find: async (id: string): Promise<ScimListener | undefined> => (await listeners.findById(id).lean()) ?? undefined,
    list: (paging: Paging): Promise<Listing<ScimListener>> => listPage(listeners, {}, { paging }),
    /** @throws listenerExists */
    async insert(listener: ScimListener): Promise<void> {
      if (!(await insertNew(mongo, listeners, listener))) throw errors.listenerExists();
    },
    remove: async (id: string, precondition: Precondition): Promise<boolean> =>
      (await deleteIfMatch(listeners, id, { precondition })) !== undefined,
  };
}

export type ScimListenerStore = ReturnType<typeof createScimListenerStore>;
