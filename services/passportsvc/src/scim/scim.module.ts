import { newId } from '@dtplatform/mongo';
import { resource } from '@dtplatform/runtime';
import type { Sealer } from '../oauth/keys/sealer.js';
import type { Stores } from '../stores.js';
import { deliverUsers } from './deliveries/deliver-users.job.js';
import { createDeliveries } from './deliveries/deliveries.js';
import type { Deliveries } from './deliveries/deliveries.js';
import { deliveryModel, remoteUserModel } from './deliveries/deliveries.model.js';
import { deliveryRoutes } from './deliveries/deliveries.routes.js';
import { scimDiscoveryRoutes } from './discovery/discovery.routes.js';
import { scimListenerRoutes } from './listeners/listeners.routes.js';
import { createScimListeners } from './listeners/scim-listeners.js';
import type { ScimListeners } from './listeners/scim-listeners.js';
import { scimListenerModel } from './listeners/scim-listeners.store.js';
import { REGISTRATION_PATH } from './servers/registration.http.js';
import type { AddressCheck } from './servers/address-check.client.js';
import { createScimServers } from './servers/scim-servers.js';
import type { ScimServers } from './servers/scim-servers.js';
import { scimServerModel } from './servers/scim-servers.store.js';
import { scimServerRoutes } from './servers/servers.routes.js';
import { accessEndingModel } from './users/access-endings.store.js';
import type { Accounts } from './users/accounts.js';
import { accountRoutes, userRoutes } from './users/accounts.routes.js';
import type { UserParts } from './users/show-users.http.js';
import { userCountModel } from './users/user-counts.store.js';
import { userModel } from './users/user.model.js';
import { scimUserRoutes } from './users/users.routes.js';

interface Api extends UserParts {
  accounts: Accounts;
  scimServers: ScimServers;
  scimListeners: ScimListeners;
  deliveries: Deliveries;
}

export const scim = resource({
  tags: {
    users: 'Users, as visible to other users, and in SCIM 2.0 for administration.',
    accounts: 'The calling user, at another path.',
    scim: 'What the SCIM 2.0 endpoints support.',
    scimServers: 'SCIM servers to which user events are delivered.',
    scimListeners: 'The user events that are delivered to each SCIM server.',
    scimDeliveries: 'The log of deliveries to SCIM servers.',
  },
  models: [
    userModel,
    userCountModel,
    accessEndingModel,
    scimServerModel,
    scimListenerModel,
    deliveryModel,
    remoteUserModel,
  ],
  routes: (parts: Api) => [userRoutes(parts), accountRoutes(parts), scimUserRoutes(parts), scimDiscoveryRoutes(parts)],
  sweeps: deliverUsers,
});

export const scimMount = (parts: Pick<Api, 'scimServers' | 'scimListeners' | 'deliveries'>) => ({
  prefix: REGISTRATION_PATH,
  tables: [scimServerRoutes(parts), scimListenerRoutes(parts), deliveryRoutes(parts)],
});

interface Sources {
  stores: Stores;
  sealer: Sealer;
  checkAddress: AddressCheck;
}

export const createScimUseCases = ({ stores, sealer, checkAddress }: Sources) => ({
  scimServers: createScimServers({ ...stores, checkAddress, sealer, newId }),
  scimListeners: createScimListeners({ ...stores, newId }),
  deliveries: createDeliveries(stores),
});
