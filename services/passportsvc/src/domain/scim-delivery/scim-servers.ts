import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import type { Paging, Precondition } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import type { Sealer } from '../keys/sealer.js';
import type { AddressCheck, ScimListenerStore, ScimServerStore } from './ports.js';
import { REALM } from './scim-listener.js';
import type { ScimListener } from './scim-listener.js';
import type { ScimServer } from './scim-server.js';

/** Each write of a user looks for listeners, and each server has connections of its own. */
const MAX_SERVERS = 100;

type NewServer = Pick<ScimServer, 'baseUrl' | 'tokenUrl' | 'clientId'> & { clientSecret?: string };

interface Deps {
  scimServerStore: ScimServerStore;
  scimListenerStore: ScimListenerStore;
  checkAddress: AddressCheck;
  newId: () => string;
  sealer: Sealer;
}

export type ScimServers = ReturnType<typeof createScimServers>;

/** Registered SCIM servers, and which events they learn of. */
export function createScimServers({ scimServerStore, scimListenerStore, checkAddress, newId, sealer }: Deps) {
  async function requireAllowed(addresses: Pick<NewServer, 'baseUrl' | 'tokenUrl'>): Promise<void> {
    const checked = await Promise.all(
      Object.entries(addresses).map(async ([name, url]) => ({
        location: `body.${name}`,
        message: await checkAddress(url),
      })),
    );
    const details = checked.flatMap(({ location, message }) => (message === undefined ? [] : [{ location, message }]));
    if (details.length > 0) throw errors.addressNotAllowed({ details });
  }

  return {
    /** @returns the server; its secret is stored encrypted @throws addressNotAllowed, tooManyScimServers */
    async create({ clientSecret, ...wanted }: NewServer, { principal }: Access): Promise<ScimServer> {
      await requireAllowed({ baseUrl: wanted.baseUrl, tokenUrl: wanted.tokenUrl });
      if ((await scimServerStore.count()) >= MAX_SERVERS) throw errors.tooManyScimServers();
      const _id = newId();
      const server: ScimServer = {
        _id,
        ...wanted,
        ...(clientSecret !== undefined && { clientSecret: sealer.seal(clientSecret, _id) }),
        createdAt: Date.now(),
        createdById: principal.id,
        _revision: 0,
      };
      await scimServerStore.insert(server);
      return server;
    },

    list: (paging: Paging) => scimServerStore.list(paging),

    /** @throws notFound */
    async get(id: string): Promise<ScimServer> {
      return (await scimServerStore.find(id)) ?? notFound();
    },

    /** Ends all deliveries to a server. @throws notFound, preconditionFailed */
    async remove(id: string, precondition: Precondition): Promise<void> {
      if (!(await scimServerStore.remove(id, precondition))) notFound();
    },

    listeners: {
      /** @throws unknownScimServer, listenerExists */
      async create(
        wanted: Pick<ScimListener, 'scimServerDetailId' | 'eventName'>,
        { principal }: Access,
      ): Promise<ScimListener> {
        if (!(await scimServerStore.find(wanted.scimServerDetailId))) throw errors.unknownScimServer();
        const made = { createdAt: Date.now(), createdById: principal.id, _revision: 0 };
        const listener: ScimListener = { _id: newId(), ...wanted, realmId: REALM, ...made };
        await scimListenerStore.insert(listener);
        return listener;
      },

      list: (paging: Paging) => scimListenerStore.list(paging),

      /** @throws notFound */
      async get(id: string): Promise<ScimListener> {
        return (await scimListenerStore.find(id)) ?? notFound();
      },

      /** What is recorded already is still delivered. @throws notFound, preconditionFailed */
      async remove(id: string, precondition: Precondition): Promise<void> {
        if (!(await scimListenerStore.remove(id, precondition))) notFound();
      },
    },
  };
}

function notFound(): never {
  throw commonErrors.notFound();
}
