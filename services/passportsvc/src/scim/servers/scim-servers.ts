import type { Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import type { Sealer } from '../../oauth/keys/sealer.js';
import type { AddressCheck } from './address-check.client.js';
import type { ScimServer } from './scim-server.js';
import type { ScimServerStore } from './scim-servers.store.js';

/** Each write of a user reads the listeners, and each server has its own connections. */
const MAX_SERVERS = 100;

type NewServer = Pick<ScimServer, 'baseUrl' | 'tokenUrl' | 'clientId'> & { clientSecret?: string };

interface Deps {
  scimServerStore: ScimServerStore;
  checkAddress: AddressCheck;
  newId: () => string;
  sealer: Sealer;
}

export type ScimServers = ReturnType<typeof createScimServers>;

export function createScimServers({ scimServerStore, checkAddress, newId, sealer }: Deps) {
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
    /** The secret is stored encrypted. @throws addressNotAllowed, tooManyScimServers */
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

    async get(id: string): Promise<ScimServer> {
      const server = await scimServerStore.find(id);
      if (!server) throw commonErrors.notFound();
      return server;
    },

    /** Ends all deliveries to the server. @throws notFound, preconditionFailed */
    async remove(id: string, precondition: Precondition): Promise<void> {
      if (!(await scimServerStore.remove(id, precondition))) throw commonErrors.notFound();
    },
  };
}
