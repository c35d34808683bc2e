import type { Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { ScimListenerStore, ScimServerStore } from './ports.js';
import { REALM } from './scim-listener.js';
import type { ScimListener } from './scim-listener.js';

type NewListener = Pick<ScimListener, 'scimServerDetailId' | 'eventName'>;

interface Deps {
  scimListenerStore: ScimListenerStore;
  scimServerStore: Pick<ScimServerStore, 'find'>;
  newId: () => string;
}

export type ScimListeners = ReturnType<typeof createScimListeners>;

/** Which events registered SCIM servers learn of. */
export function createScimListeners({ scimListenerStore, scimServerStore, newId }: Deps) {
  return {
    /** @throws unknownScimServer, listenerExists */
    async create(wanted: NewListener, { principal }: Access): Promise<ScimListener> {
      if (!(await scimServerStore.find(wanted.scimServerDetailId))) throw errors.unknownScimServer();
      const made = { createdAt: Date.now(), createdById: principal.id, _revision: 0 };
      const listener: ScimListener = { _id: newId(), ...wanted, realmId: REALM, ...made };
      await scimListenerStore.insert(listener);
      return listener;
    },

    list: (paging: Paging) => scimListenerStore.list(paging),

    /** @throws notFound */
    async get(id: string): Promise<ScimListener> {
      const listener = await scimListenerStore.find(id);
      if (!listener) throw commonErrors.notFound();
      return listener;
    },

    /** What is recorded already is still delivered. @throws notFound, preconditionFailed */
    async remove(id: string, precondition: Precondition): Promise<void> {
      if (!(await scimListenerStore.remove(id, precondition))) throw commonErrors.notFound();
    },
  };
}
