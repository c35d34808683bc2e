import { ifPresent, modelOf } from '@dtplatform/mongo';
import { Delivery, RemoteUser } from './delivery.js';

export const deliveryModel = modelOf('scim_deliveries', Delivery, {
  indexes: [
    { key: { scimServerDetailId: 1, _id: -1 }, name: 'server' },
    { key: { userId: 1, scimServerDetailId: 1, _id: -1 }, name: 'user' },
    { key: { status: 1, _id: -1 }, name: 'status' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});

export const remoteUserModel = modelOf('scim_remote_users', RemoteUser, {
  indexes: [
    { key: { scimServerDetailId: 1, dueAt: 1 }, name: 'due', ...ifPresent('dueAt') },
    { key: { scimServerDetailId: 1, _id: 1 }, name: 'server' },
    { key: { userId: 1 }, name: 'user' },
    { key: { givenUpAt: 1 }, name: 'given_up', ...ifPresent('givenUpAt') },
  ],
});
