import type { PermissionEntry } from '@dtplatform/contracts';
import { listPage, newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { AuditEntry, AuditStore } from '../../domain/permissions/audit.js';
import { permissionAuditModel } from './permission-audit.model.js';

/** Who changes permissions that nobody asked to change. */
export const PLATFORM = 'platform';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What is changed, and by whom. */
interface Change extends Pick<AuditEntry, '_change' | '_byId'> {
  entries: (Pick<PermissionEntry, '_namespace'> & Partial<PermissionEntry> & Pick<AuditEntry, '_previousActions'>)[];
}

export interface PermissionAudit extends AuditStore {
  /** Records changes. They are recorded if, and only if, the transaction is committed. */
  record(change: Change, session: ClientSession): Promise<void>;
}

/** Records of changes in MongoDB. They expire. */
export function createPermissionAudit(mongo: Mongo, retentionDays: number): PermissionAudit {
  const audit = mongo.model(permissionAuditModel);
  return {
    async record({ entries, ...change }, session) {
      const now = Date.now();
      const records = entries.map(({ _namespace, _resourceDesc, _user, _actions, _previousActions }) => ({
        ...{ _id: newId(), _at: now, ...change, _namespace },
        ...(_resourceDesc && _user && _actions && { _resourceDesc, _user, _actions }),
        ...(_previousActions && { _previousActions }),
        expiresAt: new Date(now + retentionDays * DAY_MS),
      }));
      if (records.length > 0) await audit.insertMany(records, { session });
    },
    list({ namespace, userId }, paging) {
      const filter = { _namespace: namespace, ...(userId !== undefined && { '_user._id': userId }) };
      // Within a second, the ids of different processes are in no order.
      return listPage(audit, filter, { paging, sort: { _at: -1, _id: -1 }, projection: { expiresAt: 0 } });
    },
  };
}
