import { EgressRejected } from '@dtplatform/egress';
import type { Egress } from '@dtplatform/egress';

/** Whether an address may be called. @returns what is wrong with it, as the end of a sentence that begins with its name */
export type AddressCheck = (url: string) => Promise<string | undefined>;

/** Asks where an address leads now. It is checked again whenever it is called. */
export const createAddressCheck =
  (egress: Pick<Egress, 'check'>): AddressCheck =>
  async (url) => {
    try {
      await egress.check(url);
      return undefined;
    } catch (error) {
      if (error instanceof EgressRejected) return error.message;
      throw error;
    }
  };
