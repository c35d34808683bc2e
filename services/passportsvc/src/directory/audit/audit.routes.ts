import { z } from 'zod';
import { documents, okPage, pageOf, pagingOf, pagingParameters, route, routes, wholeNumber } from '@dtplatform/http';
import { AuditEntry } from './audit-entry.js';
import type { Audit } from './audit.js';

const MAX_PAGE = 1000;
const time = () => wholeNumber(Number.MAX_SAFE_INTEGER).optional();
const { _byId, _operation, _resourceIds, _orgId } = AuditEntry.shape;

const ListAuditQuery = z.object({
  ...pagingParameters({ maxSize: MAX_PAGE }),
  _byId: _byId.optional().describe('Only calls of this user or app.'),
  _resourceId: _resourceIds.element.optional().describe('Only calls that name or created the resource with this id.'),
  _operation: _operation.optional().describe('Only calls of this operation, such as `apps.update` or `signIn`.'),
  _orgId: _orgId.describe('Only entries of this organization. Applications see only those of their own.'),
  _from: time().describe('Only calls that began at this time or later, as Unix milliseconds.'),
  _to: time().describe('Only calls that began before this time, as Unix milliseconds.'),
});
const AuditEntryPage = pageOf(AuditEntry).meta({ id: 'AuditEntryPage', description: 'A page of the audit log.' });

export const auditRoutes = ({ audit }: { audit: Audit }) =>
  routes('/audit', [
    route.get('/', {
      operation: 'audit.list',
      summary: 'List the calls that changed something in this service, and sign-ins, newest first.',
      description:
        'Covers apps, users, groups, invites, sessions, keys and all else of this service. For administrators, trusted clients and applications. Entries expire after 365 days by default. To export the log, list it by `_from` and `_to`.',
      needs: documents({ rule: 'organization' }),
      callers: ['app', 'trusted', 'admin'],
      query: ListAuditQuery,
      responses: { 200: AuditEntryPage },
      handler: async ({ query, access }) => {
        const {
          _byId: byId,
          _resourceId: resourceId,
          _operation: operation,
          _orgId: orgId,
          _from: from,
          _to: to,
        } = query;
        const paging = pagingOf(query);
        return okPage(await audit.list({ byId, resourceId, operation, orgId, from, to }, paging, access), paging);
      },
    }),
  ]);
