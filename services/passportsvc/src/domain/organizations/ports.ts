import type { Listing, Paging } from '@dtplatform/contracts';
import type { Organization } from './organization.js';

export interface OrganizationStore {
  find(id: string): Promise<Organization | undefined>;
  list(paging: Paging): Promise<Listing<Organization>>;
  insert(organization: Organization): Promise<void>;
}
