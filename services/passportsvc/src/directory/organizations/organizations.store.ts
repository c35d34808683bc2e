import { listPage, modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { Organization } from './organizations.js';
import type { OrganizationStore } from './organizations.js';

export const organizationModel = modelOf('organizations', Organization);

export function createOrganizationStore(mongo: Mongo): OrganizationStore {
  const organizations = mongo.model(organizationModel);
  return {
    find: async (id) => (await organizations.findById(id).lean()) ?? undefined,
    list: (paging) => listPage(organizations, {}, { paging }),
    async insert(organization) {
      await mongo.create((session) => organizations.insertMany([organization], { session }));
    },
  };
}
