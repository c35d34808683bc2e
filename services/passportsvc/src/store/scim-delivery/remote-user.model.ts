import { defineModel, id, ifPresent, number, part, text } from '@dtplatform/mongo';
import type { RemoteUser } from '../../domain/scim-delivery/delivery.js';

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
