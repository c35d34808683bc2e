import { created, okPage, pagingOf, route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { Organization } from '../../domain/organizations/organization.js';
import { CreateOrganizationBody, ListOrganizationsQuery, OrganizationPage } from './organizations.schemas.js';

const callers: ('admin' | 'trusted')[] = ['admin', 'trusted'];

/** Organizations (docs/contract.md, "Organizations"). */
export const organizationRoutes = ({ organizations }: Deps) =>
  routes('/organizations', [
    route.post('/', {
      operation: 'organizations.create',
      summary: 'Create an organization. For administrators and trusted clients.',
      callers,
      body: CreateOrganizationBody,
      replies: { 201: Organization },
      handler: async ({ body }) => created(await organizations.create(body._name)),
    }),
    route.get('/', {
      operation: 'organizations.list',
      summary: 'List all organizations. For administrators and trusted clients.',
      callers,
      query: ListOrganizationsQuery,
      replies: { 200: OrganizationPage },
      handler: async ({ query }) => {
        const paging = pagingOf(query);
        return okPage(await organizations.list(paging), paging);
      },
    }),
  ]);
