import type { Listing, Paging } from '@dtplatform/contracts';
import { listPage, modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { Organization } from './organizations.js';

export const organizationModel = modelOf('organizations', Organization);

export function createOrganizationStore(mongo: Mongo) {
  const organizations = mongo.model(organizationModel);
  return {
    find: async (id: string): Promise<Organization | undefined> =>
      (await organizations.findById(id).lean()) ?? undefined,
    list: (paging: Paging): Promise<Listing<Organization>> => listPage(organizations, {}, { paging }),
    async insert(organization: Organization): Promise<void> {
      await mongo.create((session) => organizations.insertMany([organization], { session }));
    },
  };
}

export type OrganizationStore = ReturnType<typeof createOrganizationStore>;
