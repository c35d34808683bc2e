import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import type { PrincipalKind } from '@dtplatform/jwt';
import { Delivery, ShownDelivery } from '../../domain/scim-delivery/delivery.js';
import { ScimListener, ShownScimListener } from '../../domain/scim-delivery/scim-listener.js';
import { ScimServer, ShownScimServer } from '../../domain/scim-delivery/scim-server.js';

export const REGISTRATION_PATH = '/auth/realms/master/scim';

/** Callers with an `ADMIN_API_TOKEN`. */
export const CALLERS: PrincipalKind[] = ['trusted', 'admin'];

/** The stored reply for a repeated `Idempotency-Key` does not contain the secret. */
export const CreatedScimServer = ShownScimServer.extend({ clientSecret: z.string().optional() });
export const CreateScimServerBody = ScimServer.pick({ baseUrl: true, tokenUrl: true, clientId: true }).extend({
  clientSecret: z.string().min(1).max(1024).optional(),
});
export const CreateScimListenerBody = ScimListener.pick({ scimServerDetailId: true, eventName: true, realmId: true });

export const Params = z.object({ id: ScimServer.shape._id });
export const ListQuery = z.object(pagingParameters());
export const ListDeliveriesQuery = z.object({
  ...pagingParameters(),
  scimServerDetailId: Delivery.shape.scimServerDetailId.optional(),
  userId: Delivery.shape.userId.optional(),
  status: Delivery.shape.status.optional(),
});

export const ScimServerPage = pageOf(ShownScimServer);
export const ScimListenerPage = pageOf(ShownScimListener);
export const DeliveryPage = pageOf(ShownDelivery);
