import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import type { PrincipalKind } from '@dtplatform/jwt';
import { Delivery, ShownDelivery } from '../deliveries/delivery.js';
import { ScimListener, ShownScimListener } from '../listeners/scim-listeners.js';
import { ScimServer, ShownScimServer } from './scim-server.js';

export const REGISTRATION_PATH = '/auth/realms/master/scim';

/** Holders of an `ADMIN_API_TOKEN`. */
export const CALLERS: PrincipalKind[] = ['trusted', 'admin'];

export const CreatedScimServer = ShownScimServer.extend({
  clientSecret: z
    .string()
    .optional()
    .describe('The client secret as sent. A response repeated for an `Idempotency-Key` does not contain it.'),
}).meta({ id: 'CreatedScimServer', description: 'A SCIM server with its client secret, which is returned only once.' });
export const CreateScimServerBody = ScimServer.pick({ baseUrl: true, tokenUrl: true, clientId: true })
  .extend({
    clientSecret: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('The client secret with which the platform requests the token.'),
  })
  .meta({ id: 'NewScimServer', description: 'A SCIM server to register.' });
export const CreateScimListenerBody = ScimListener.pick({
  scimServerDetailId: true,
  eventName: true,
  realmId: true,
}).meta({ id: 'NewScimListener', description: 'A user event to deliver to a SCIM server.' });

export const ServerParams = z.object({ id: ScimServer.shape._id });
export const ListenerParams = z.object({ id: ScimListener.shape._id });
export const DeliveryParams = z.object({ id: Delivery.shape._id });
export const ListQuery = z.object(pagingParameters());
export const ListDeliveriesQuery = z.object({
  ...pagingParameters(),
  scimServerDetailId: Delivery.shape.scimServerDetailId
    .optional()
    .describe('Only deliveries to the SCIM server with this id.'),
  userId: Delivery.shape.userId.optional().describe('Only deliveries about the user with this id.'),
  status: Delivery.shape.status.optional().describe('Only deliveries with this status.'),
});

export const ScimServerPage = pageOf(ShownScimServer).meta({
  id: 'ScimServerPage',
  description: 'A page of SCIM servers.',
});
export const ScimListenerPage = pageOf(ShownScimListener).meta({
  id: 'ScimListenerPage',
  description: 'A page of listeners.',
});
export const DeliveryPage = pageOf(ShownDelivery).meta({
  id: 'ScimDeliveryPage',
  description: 'A page of the delivery log, newest first.',
});
