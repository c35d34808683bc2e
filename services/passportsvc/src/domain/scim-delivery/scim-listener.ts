import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { ScimServer } from './scim-server.js';

/** What happens to a user. */
export const UserEventName = z.enum(['CREATE', 'UPDATE', 'DELETE']).describe('What happened to the user.');
export type UserEventName = z.infer<typeof UserEventName>;

/** The only realm: that of the platform's users. */
export const REALM = 'iam';

/** Which events a server learns of (docs/contract.md, "SCIM registration"). */
export const ScimListener = z.object({
  _id: ResourceId.describe('The id of the listener: 24 hexadecimal digits.'),
  scimServerDetailId: ScimServer.shape._id,
  eventName: UserEventName.describe('The event of users that is delivered to the server.'),
  realmId: z.literal(REALM).describe('The realm of the users; always `iam`.'),
  createdAt: z.number(),
  createdById: z.string(),
  _revision: z.number().int().min(0),
});
export type ScimListener = z.infer<typeof ScimListener>;

export const ShownScimListener = ScimListener.pick({ scimServerDetailId: true, eventName: true, realmId: true })
  .extend({ id: ScimListener.shape._id })
  .meta({ id: 'ScimListener', description: 'An event of users that is delivered to a SCIM server.' });

export const showScimListener = (listener: ScimListener): z.infer<typeof ShownScimListener> => ({
  id: listener._id,
  realmId: listener.realmId,
  scimServerDetailId: listener.scimServerDetailId,
  eventName: listener.eventName,
});
