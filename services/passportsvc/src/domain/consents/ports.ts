import type { Listing, Paging } from '@dtplatform/contracts';
import type { Consent } from './consent.js';

export interface ConsentStore {
  /** Whether a consent that is not revoked covers the destination. */
  covers(id: string, destination: string): Promise<boolean>;
  /** Adds the consent, or its destinations to the one that the user gave the app before. */
  add(consent: Consent): Promise<void>;
  /** The user's consents that are not revoked. */
  list(userId: string, paging: Paging): Promise<Listing<Consent>>;
  /** Makes a consent count no longer. @returns whether there was one */
  markRevoked(id: string): Promise<boolean>;
  /** Removes a consent, unless the user has given it again. */
  removeRevoked(id: string): Promise<void>;
  /** Removes all consents of a user. */
  removeOfUser(userId: string): Promise<void>;
}
