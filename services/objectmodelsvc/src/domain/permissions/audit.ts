import { z } from 'zod';
import { PermissionEntry, ResourceId } from '@dtplatform/contracts';
import type { Access } from '@dtplatform/permissions';
import type { Listing, Paging } from '@dtplatform/resource';
import { errors } from '../../errors.js';

const { _namespace, _resourceDesc, _user, _actions } = PermissionEntry.shape;

/** A change of permissions: who made it, when, and what it was. */
export const AuditEntry = z.object({
  _id: ResourceId,
  /** Milliseconds since 1970. */
  _at: z.number(),
  /** A user, an app, or `platform` for what the platform itself grants and ends. */
  _byId: z.string(),
  /** `CLOSE` ends all permissions of the namespace, and names no subject. */
  _change: z.enum(['GRANT', 'REVOKE', 'CLOSE']),
  _namespace,
  _resourceDesc: _resourceDesc.optional(),
  _user: _user.optional(),
  /** What the subject holds on the resources after a `GRANT`, or held before a `REVOKE`. */
  _actions: _actions.optional(),
  /** What it held before a `GRANT`, if that replaced a record. */
  _previousActions: _actions.optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

interface AuditQuery {
  namespace: string;
  userId?: string | undefined;
}

/** Where changes are recorded, in the transactions that make them. */
export interface AuditStore {
  /** The newest first. */
  list(query: AuditQuery, paging: Paging): Promise<Listing<AuditEntry>>;
}

/** Who granted or revoked what, and when. */
export interface Audit {
  /** @throws 403 unless the caller holds SHARE on everything in the namespace */
  list(query: AuditQuery, paging: Paging, access: Access): Promise<Listing<AuditEntry>>;
}

export const createAudit = (auditStore: AuditStore): Audit => ({
  async list(query, paging, access) {
    if (!(await access.may('SHARE', '*:*:*', [query.namespace]))) throw errors.mayNotAudit();
    return auditStore.list(query, paging);
  },
});
