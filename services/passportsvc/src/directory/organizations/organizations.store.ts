import { defineModel, id, listPage, number, part, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Organization, OrganizationStore } from './organizations.js';

export const organizationModel = defineModel<Organization>('organizations', {
  _id: id,
  _name: text,
  _metadata: part<Organization['_metadata']>({ _createdAt: number, _updatedAt: number }),
});

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
