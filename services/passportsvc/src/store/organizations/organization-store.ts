import type { Db } from 'mongodb';
import type { Organization } from '../../domain/organizations/organization.js';
import type { OrganizationStore } from '../../domain/organizations/ports.js';

export function createOrganizationStore(db: Db): OrganizationStore {
  const organizations = db.collection<Organization>('organizations');
  return { find: async (id) => (await organizations.findOne({ _id: id })) ?? undefined };
}
