import type { Organization } from './organization.js';

export interface OrganizationStore {
  find(id: string): Promise<Organization | undefined>;
}
