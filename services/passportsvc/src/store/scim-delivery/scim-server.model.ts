import { defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { ScimServer } from '../../domain/scim-delivery/scim-server.js';

/** At most 100 (`tooManyScimServers`), so its lists need no index. */
export const scimServerModel = defineModel<ScimServer>('scim_servers', {
  _id: id,
  baseUrl: text,
  tokenUrl: text,
  clientId: String,
  clientSecret: part<NonNullable<ScimServer['clientSecret']>>({ iv: text, data: text, tag: text }),
  createdAt: number,
  createdById: text,
  deletedAt: Number,
  _revision: number,
});
