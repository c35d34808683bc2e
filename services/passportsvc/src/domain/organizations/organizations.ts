import type { Listing, Paging } from '@dtplatform/contracts';
import type { Organization } from './organization.js';
import type { OrganizationStore } from './ports.js';

interface Deps {
  organizationStore: OrganizationStore;
  newId: () => string;
}

export type Organizations = ReturnType<typeof createOrganizations>;

export function createOrganizations({ organizationStore, newId }: Deps) {
  return {
    /** Several organizations may have the same name. */
    async create(name: string): Promise<Organization> {
      const now = Date.now();
      const organization = { _id: newId(), _name: name, _metadata: { _createdAt: now, _updatedAt: now } };
      await organizationStore.insert(organization);
      return organization;
    },
    list: (paging: Paging): Promise<Listing<Organization>> => organizationStore.list(paging),
  };
}
