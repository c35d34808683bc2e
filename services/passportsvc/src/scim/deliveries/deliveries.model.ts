import { defineModel, id, ifPresent, number, part, text } from '@dtplatform/mongo';
import type { Delivery, RemoteUser } from './delivery.js';

export const deliveryModel = defineModel<Delivery>('scim_deliveries', {
  _id: id,
  scimServerDetailId: text,
  userId: text,
  eventName: text,
  status: text,
  attempts: number,
  lastError: String,
  createdAt: number,
  updatedAt: number,
  expiresAt: { type: Date, required: true },
  _revision: number,
});

deliveryModel.schema
  .index({ scimServerDetailId: 1, _id: -1 }, { name: 'server' })
  .index({ userId: 1, scimServerDetailId: 1, _id: -1 }, { name: 'user' })
  .index({ status: 1, _id: -1 }, { name: 'status' })
  .index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });

export const remoteUserModel = defineModel<RemoteUser>('scim_remote_users', {
  _id: id,
  scimServerDetailId: text,
  userId: text,
  remoteId: String,
  recorded: number,
  dueAt: Date,
  since: { type: Date, required: true },
  attempts: number,
  givenUpAt: Date,
  lease: part<NonNullable<RemoteUser['lease']>>({ fence: number, until: Date }),
});

remoteUserModel.schema
  .index({ scimServerDetailId: 1, dueAt: 1 }, { name: 'due', ...ifPresent('dueAt') })
  .index({ scimServerDetailId: 1, _id: 1 }, { name: 'server' })
  .index({ userId: 1 }, { name: 'user' })
  .index({ givenUpAt: 1 }, { name: 'given_up', ...ifPresent('givenUpAt') });
