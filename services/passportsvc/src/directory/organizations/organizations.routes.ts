import { z } from 'zod';
import { created, okPage, pageOf, pagingOf, pagingParameters, route, routes } from '@dtplatform/http';
import { Organization } from './organizations.js';
import type { Organizations } from './organizations.js';

const CreateOrganizationBody = Organization.pick({ _name: true }).meta({
  id: 'NewOrganization',
  description: 'An organization to create.',
});
const ListOrganizationsQuery = z.object(pagingParameters());
const OrganizationPage = pageOf(Organization).meta({
  id: 'OrganizationPage',
  description: 'A page of organizations.',
});

const callers: ('admin' | 'trusted')[] = ['admin', 'trusted'];

export const organizationRoutes = ({ organizations }: { organizations: Organizations }) =>
  routes('/organizations', [
    route.post('/', {
      operation: 'organizations.create',
      summary: 'Create an organization. For administrators and trusted clients.',
      callers,
      body: CreateOrganizationBody,
      responses: { 201: Organization },
      handler: async ({ body }) => created(await organizations.create(body._name)),
    }),
    route.get('/', {
      operation: 'organizations.list',
      summary: 'List all organizations. For administrators and trusted clients.',
      callers,
      query: ListOrganizationsQuery,
      responses: { 200: OrganizationPage },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await organizations.list(paging), paging);
      },
    }),
  ]);
