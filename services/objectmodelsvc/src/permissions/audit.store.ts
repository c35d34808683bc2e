import { z } from 'zod';
import type { Listing, Paging, PermissionEntry } from '@dtplatform/contracts';
import { listPage, modelOf, newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { AuditEntry } from './audit.js';
import type { AuditQuery } from './audit.js';

/** A change of a permission, with the expiry of its record. */
const StoredAuditEntry = AuditEntry.extend({ expiresAt: z.date() });

export const permissionAuditModel = modelOf('permission_audit', StoredAuditEntry, {
  json: ['_resourceDesc', '_user'],
  indexes: [
    { key: { _namespace: 1, _at: -1, _id: -1 }, name: 'newest' },
    { key: { _namespace: 1, '_user._id': 1, _at: -1, _id: -1 }, name: 'newest_of_user' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});

/** The author of changes that no caller requested. */
export const PLATFORM = 'platform';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Change extends Pick<AuditEntry, '_change' | '_byId'> {
  entries: (Pick<PermissionEntry, '_namespace'> & Partial<PermissionEntry> & Pick<AuditEntry, '_previousActions'>)[];
}

/** Audit records in MongoDB. They expire. */
export function createPermissionAudit(mongo: Mongo, retentionDays: number) {
  const audit = mongo.model(permissionAuditModel);
  return {
    /** Records changes in the transaction that makes them. */
    async record({ entries, ...change }: Change, session: ClientSession): Promise<void> {
      const now = Date.now();
      const records = entries.map(({ _namespace, _resourceDesc, _user, _actions, _previousActions }) => ({
        ...{ _id: newId(), _at: now, ...change, _namespace },
        ...(_resourceDesc && _user && _actions && { _resourceDesc, _user, _actions }),
        ...(_previousActions && { _previousActions }),
        expiresAt: new Date(now + retentionDays * DAY_MS),
      }));
      if (records.length > 0) await audit.insertMany(records, { session });
    },
    /** Newest first. */
    list({ namespace, userId }: AuditQuery, paging: Paging): Promise<Listing<AuditEntry>> {
      const filter = { _namespace: namespace, ...(userId !== undefined && { '_user._id': userId }) };
      // Ids of different processes are unordered within a second.
      return listPage(audit, filter, { paging, sort: { _at: -1, _id: -1 }, projection: { expiresAt: 0 } });
    },
  };
}

export type PermissionAudit = ReturnType<typeof createPermissionAudit>;
