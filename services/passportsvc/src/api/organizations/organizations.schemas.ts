import { pageOf, pagingParameters } from '@dtplatform/http';
import { z } from 'zod';
import { Organization } from '../../domain/organizations/organization.js';

export const CreateOrganizationBody = Organization.pick({ _name: true }).meta({
  id: 'NewOrganization',
  description: 'An organization to create.',
});
export const ListOrganizationsQuery = z.object(pagingParameters());
export const OrganizationPage = pageOf(Organization).meta({
  id: 'OrganizationPage',
  description: 'A page of organizations.',
});
