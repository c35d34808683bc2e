import { listPage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { OrganizationStore } from '../../domain/organizations/ports.js';
import { organizationModel } from './organization.model.js';

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
