import { EgressRejected } from '@dtplatform/egress';
import type { Egress } from '@dtplatform/egress';

/** @returns why the address must not be called, worded to follow its name; undefined if it may be */
export type AddressCheck = (url: string) => Promise<string | undefined>;

/** Resolves the address now. Every call checks it again. */
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
