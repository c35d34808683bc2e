import { defineModel, id, number, part, text } from '@dtplatform/mongo';
import type { Organization } from '../../domain/organizations/organization.js';

export const organizationModel = defineModel<Organization>('organizations', {
  _id: id,
  _name: text,
  _metadata: part<Organization['_metadata']>({ _createdAt: number, _updatedAt: number }),
});
