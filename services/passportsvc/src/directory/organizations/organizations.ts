import { z } from 'zod';
import { Metadata, Text } from '@dtplatform/contracts';
import type { Listing, Paging } from '@dtplatform/contracts';
import type { OrganizationStore } from './organizations.store.js';

export const Organization = z
  .object({
    _id: z.string().min(1).max(64).describe('The id of the organization.'),
    _name: Text.trim().min(1).max(128).describe('The name of the organization, shown on pages and in mails.'),
    _metadata: Metadata.pick({ _createdAt: true, _updatedAt: true }).describe(
      'When the organization was created and last changed.',
    ),
  })
  .meta({ id: 'Organization', description: 'An organization of users and apps.' });
export type Organization = z.infer<typeof Organization>;

interface Deps {
  organizationStore: OrganizationStore;
  newId: () => string;
}

export type Organizations = ReturnType<typeof createOrganizations>;

export function createOrganizations({ organizationStore, newId }: Deps) {
  return {
    /** Names need not be unique. */
    async create(name: string): Promise<Organization> {
      const now = Date.now();
      const organization = { _id: newId(), _name: name, _metadata: { _createdAt: now, _updatedAt: now } };
      await organizationStore.insert(organization);
      return organization;
    },
    list: (paging: Paging): Promise<Listing<Organization>> => organizationStore.list(paging),
  };
}
