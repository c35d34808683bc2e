import { z } from 'zod';
import { PermissionEntry, ResourceId } from '@dtplatform/contracts';
import type { Listing, Paging } from '@dtplatform/contracts';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { PermissionAudit } from './audit.store.js';

const { _namespace, _resourceDesc, _user, _actions } = PermissionEntry.shape;

/** A permission change: who changed what, and when. */
export const AuditEntry = z
  .object({
    _id: ResourceId.describe('The id of the change.'),
    _at: z.number().describe('When it was made, in milliseconds since 1970.'),
    _byId: z
      .string()
      .describe('The id of the user or app that made it; `platform` for changes made by the platform itself.'),
    _change: z
      .enum(['GRANT', 'REVOKE', 'CLOSE'])
      .describe('`CLOSE` ended all permissions in the namespace and has no subject.'),
    _namespace: _namespace.describe('The namespace of the permission, or the closed namespace.'),
    _resourceDesc: _resourceDesc.optional(),
    _user: _user.optional(),
    _actions: _actions.optional().describe('The actions of the subject after a `GRANT`, or before a `REVOKE`.'),
    _previousActions: _actions
      .optional()
      .describe('The actions of the subject before a `GRANT`; absent if no permission was replaced.'),
  })
  .meta({ id: 'PermissionChange', description: 'A permission change: who changed what, and when.' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export interface AuditQuery {
  namespace: string;
  userId?: string | undefined;
}

export const createAudit = (auditStore: PermissionAudit) => ({
  /** @throws 403 unless the caller holds SHARE on everything in the namespace */
  async list(query: AuditQuery, paging: Paging, access: Access): Promise<Listing<AuditEntry>> {
    if (!(await access.may('SHARE', '*:*:*', [query.namespace]))) throw errors.mayNotAudit();
    return auditStore.list(query, paging);
  },
});

export type Audit = ReturnType<typeof createAudit>;
