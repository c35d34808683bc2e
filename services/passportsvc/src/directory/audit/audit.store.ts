import { z } from 'zod';
import type { Listing, Paging } from '@dtplatform/contracts';
import { listPage, modelOf, newId, trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { AuditEntry } from './audit-entry.js';
import type { AuditFilter } from './audit-entry.js';

const Stored = AuditEntry.extend({ expiresAt: z.date() });

const newest = { _at: -1, _id: -1 } as const;

export const auditModel = modelOf('audit_entries', Stored, {
  indexes: [
    { key: newest, name: 'newest' },
    { key: { _orgId: 1, ...newest }, name: 'newest_of_organization' },
    { key: { _byId: 1, ...newest }, name: 'newest_of_actor' },
    { key: { _resourceIds: 1, ...newest }, name: 'newest_of_resource' },
    { key: { _operation: 1, ...newest }, name: 'newest_of_operation' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
});

/** Anybody can cause rejected calls, in any number. */
const REJECTED = { days: 30, ids: 10 };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Entries are never changed, except that `finish` adds the outcome of a call. They expire. */
export function createAuditStore(mongo: Mongo, retentionDays: number) {
  const entries = mongo.model(auditModel);
  const isRejected = (status?: number) => status !== undefined && status >= 400 && status < 500;
  const expiryOf = (at: number, status?: number) =>
    new Date(at + (isRejected(status) ? Math.min(REJECTED.days, retentionDays) : retentionDays) * DAY_MS);
  return {
    /** Commits at once, whatever becomes of the call. @returns the id of the entry */
    async insert(entry: Omit<AuditEntry, '_id' | '_at'>): Promise<string> {
      const [_id, _at] = [newId(), Date.now()];
      const expiresAt = expiryOf(_at, entry._status);
      await mongo.apart(() => entries.insertMany([{ ...entry, _id, _at, expiresAt }]));
      return _id;
    },
    async finish(_id: string, status: number, resourceIds: string[]): Promise<void> {
      const change = isRejected(status)
        ? {
            $set: { _status: status, expiresAt: expiryOf(Date.now(), status) },
            $push: { _resourceIds: { $each: [], $slice: REJECTED.ids } },
          }
        : { $set: { _status: status }, $addToSet: { _resourceIds: { $each: resourceIds } } };
      await mongo.apart(() => entries.updateOne({ _id }, change));
    },
    /** Newest first. */
    list: (filter: AuditFilter, paging: Paging): Promise<Listing<AuditEntry>> =>
      listPage(entries, conditionsOf(filter), { paging, sort: newest, projection: { expiresAt: 0 } }),
  };
}

export type AuditStore = ReturnType<typeof createAuditStore>;

const conditionsOf = ({ orgId, byId, resourceId, operation, from, to }: AuditFilter) => ({
  ...(orgId !== undefined && { _orgId: orgId }),
  ...(byId !== undefined && { _byId: byId }),
  ...(resourceId !== undefined && { _resourceIds: resourceId }),
  ...(operation !== undefined && { _operation: operation }),
  ...((from !== undefined || to !== undefined) && {
    _at: trusted({ ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lt: to }) }),
  }),
});
