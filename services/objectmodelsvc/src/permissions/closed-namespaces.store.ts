import { MAX_PERMISSION_ENTRIES } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import { defineModel, id, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { PLATFORM } from './audit.store.js';
import type { PermissionAudit } from './audit.store.js';
import { namespaceOwnersModel, permissionModel } from './permission.model.js';

/** A namespace in which nobody has permissions any more, regardless of records. */
export interface ClosedNamespace {
  /** The namespace. */
  _id: string;
  closedAt: Date;
}

export const closedNamespaceModel = defineModel<ClosedNamespace>('closed_namespaces', { _id: id, closedAt: Date });

/**
 * Namespaces in which nobody has permissions any more.
 * @param changeEpochs invalidates the cached grants of subjects in every replica
 */
export function createClosedNamespaces(
  { mongo, audit }: { mongo: Mongo; audit: PermissionAudit },
  changeEpochs: (subjects: Subject[]) => Promise<void>,
) {
  const closedNamespaces = mongo.model(closedNamespaceModel);
  const permissions = mongo.model(permissionModel);
  const namespaceOwners = mongo.model(namespaceOwnersModel);

  return {
    has: async (namespace: string) => (await closedNamespaces.exists({ _id: namespace })) !== null,
    async without(namespaces: string[]): Promise<string[]> {
      const closed = new Set(await closedNamespaces.distinct('_id', { _id: oneOf(namespaces) }));
      return closed.size === 0 ? namespaces : namespaces.filter((namespace) => !closed.has(namespace));
    },
    /**
     * Marks the namespaces first: from then on, grants loaded from there are empty, including those of a record that is
     * being written. New epochs then invalidate the caches of every replica.
     */
    async close(namespaces: string[]): Promise<void> {
      const closedAt = new Date();
      const marks = namespaces.map((_id) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: { closedAt } }, upsert: true },
      }));
      const mark = async (session: ClientSession) => {
        const { upsertedIds } = await closedNamespaces.bulkWrite(marks, { session });
        const entries = Object.keys(upsertedIds).map((index) => ({ _namespace: namespaces[Number(index)]! }));
        await audit.record({ _change: 'CLOSE', _byId: PLATFORM, entries }, session);
      };
      // Committed at once; a repeated request closes them again if this one does not finish.
      await mongo.apart(() => mongo.transaction(mark));
      const inThem = { _namespace: oneOf(namespaces) };
      for (;;) {
        const records = await permissions.find(inThem, { _user: 1 }).limit(MAX_PERMISSION_ENTRIES).lean();
        if (records.length === 0) break;
        await changeEpochs(records.map(({ _user }) => _user));
        await permissions.deleteMany({ _id: oneOf(records.map(({ _id }) => _id)) });
      }
      await namespaceOwners.deleteMany({ _id: oneOf(namespaces) });
    },
  };
}
