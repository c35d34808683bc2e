import type { Paging } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import type { DeliveryStore } from './deliveries.store.js';
import type { Delivery, DeliveryStatus } from './delivery.js';

export interface DeliveryFilter {
  scimServerDetailId?: string;
  userId?: string;
  status?: DeliveryStatus;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries({ deliveryStore }: { deliveryStore: DeliveryStore }) {
  return {
    list: (filter: DeliveryFilter, paging: Paging) => deliveryStore.list(filter, paging),

    async get(id: string): Promise<Delivery> {
      const delivery = await deliveryStore.find(id);
      if (!delivery) throw commonErrors.notFound();
      return delivery;
    },

    /** Reschedules a failed delivery. @throws notFound, deliveryNotFailed */
    async retry(id: string): Promise<Delivery> {
      const retried = await deliveryStore.retry(await this.get(id));
      if (!retried) throw errors.deliveryNotFailed();
      return retried;
    },
  };
}
