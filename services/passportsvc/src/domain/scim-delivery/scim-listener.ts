import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { ScimServer } from './scim-server.js';

/** What happens to a user. */
export const UserEventName = z.enum(['CREATE', 'UPDATE', 'DELETE']);
export type UserEventName = z.infer<typeof UserEventName>;

/** The only realm: that of the platform's users. */
export const REALM = 'iam';

/** Which events a server learns of (docs/contract.md, "SCIM registration"). */
export const ScimListener = z.object({
  _id: ResourceId,
  scimServerDetailId: ScimServer.shape._id,
  eventName: UserEventName,
  realmId: z.literal(REALM),
  createdAt: z.number(),
  createdById: z.string(),
  _revision: z.number().int().min(0),
});
export type ScimListener = z.infer<typeof ScimListener>;

export const ShownScimListener = ScimListener.pick({
  scimServerDetailId: true,
  eventName: true,
  realmId: true,
}).extend({ id: ScimListener.shape._id });

export const showScimListener = (listener: ScimListener): z.infer<typeof ShownScimListener> => ({
  id: listener._id,
  realmId: listener.realmId,
  scimServerDetailId: listener.scimServerDetailId,
  eventName: listener.eventName,
});
