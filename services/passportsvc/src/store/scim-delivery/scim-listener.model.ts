import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { ScimListener } from '../../domain/scim-delivery/scim-listener.js';

export const scimListenerModel = defineModel<ScimListener>('scim_listeners', {
  _id: id,
  scimServerDetailId: text,
  eventName: text,
  realmId: text,
  createdAt: number,
  createdById: text,
  _revision: number,
});

scimListenerModel.schema
  .index({ scimServerDetailId: 1, eventName: 1 }, { name: 'server_event', unique: true })
  .index({ eventName: 1 }, { name: 'event' });
