import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { Delivery } from '../../domain/scim-delivery/delivery.js';

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
