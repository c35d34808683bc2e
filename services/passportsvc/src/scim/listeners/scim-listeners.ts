import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import type { Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { ScimServer } from '../servers/scim-server.js';
import type { ScimServerStore } from '../servers/scim-servers.store.js';
import type { ScimListenerStore } from './scim-listeners.store.js';

export const UserEventName = z.enum(['CREATE', 'UPDATE', 'DELETE']).describe('The event.');
export type UserEventName = z.infer<typeof UserEventName>;

/** The only realm: that of the platform's users. */
export const REALM = 'iam';

/** The events that a server receives (docs/contract.md, "SCIM registration"). */
export const ScimListener = z.object({
  _id: ResourceId.describe('The id of the listener: 24 hexadecimal digits.'),
  scimServerDetailId: ScimServer.shape._id,
  eventName: UserEventName.describe('The user event that is delivered to the server.'),
  realmId: z.literal(REALM).describe('The realm of the users; always `iam`.'),
  createdAt: z.number(),
  createdById: z.string(),
  _revision: z.number().int().min(0),
});
export type ScimListener = z.infer<typeof ScimListener>;

export const ShownScimListener = ScimListener.pick({ scimServerDetailId: true, eventName: true, realmId: true })
  .extend({ id: ScimListener.shape._id })
  .meta({ id: 'ScimListener', description: 'A user event that is delivered to a SCIM server.' });

export const showScimListener = (listener: ScimListener): z.infer<typeof ShownScimListener> => ({
  id: listener._id,
  realmId: listener.realmId,
  scimServerDetailId: listener.scimServerDetailId,
  eventName: listener.eventName,
});

type NewListener = Pick<ScimListener, 'scimServerDetailId' | 'eventName'>;

interface Deps {
  scimListenerStore: ScimListenerStore;
  scimServerStore: Pick<ScimServerStore, 'find'>;
  newId: () => string;
}

export type ScimListeners = ReturnType<typeof createScimListeners>;

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

    async get(id: string): Promise<ScimListener> {
      const listener = await scimListenerStore.find(id);
      if (!listener) throw commonErrors.notFound();
      return listener;
    },

    /** Recorded events are still delivered. @throws notFound, preconditionFailed */
    async remove(id: string, precondition: Precondition): Promise<void> {
      if (!(await scimListenerStore.remove(id, precondition))) throw commonErrors.notFound();
    },
  };
}
