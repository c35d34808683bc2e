import { EgressRefused } from '@dtplatform/egress';
import type { Egress } from '@dtplatform/egress';
import type { AddressCheck } from '../deliveries/deliveries.js';

/** Asks where an address leads now. It is checked again whenever it is called. */
export const createAddressCheck =
  (egress: Pick<Egress, 'check'>): AddressCheck =>
  async (url) => {
    try {
      await egress.check(url);
      return undefined;
    } catch (error) {
      if (error instanceof EgressRefused) return error.message;
      throw error;
    }
  };
