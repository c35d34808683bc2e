import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { ScimServer } from '../../domain/scim-delivery/scim-server.js';
import { sealed } from '../keys/sealed.part.js';

/** At most 100 (`tooManyScimServers`), so its lists need no index. */
export const scimServerModel = defineModel<ScimServer>('scim_servers', {
  _id: id,
  baseUrl: text,
  tokenUrl: text,
  clientId: String,
  clientSecret: sealed,
  createdAt: number,
  createdById: text,
  deletedAt: Number,
  _revision: number,
});
