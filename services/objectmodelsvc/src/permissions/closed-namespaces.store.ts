import { MAX_PERMISSION_ENTRIES } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import { defineModel, id, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { PLATFORM } from './audit.store.js';
import type { PermissionAudit } from './audit.store.js';
import { namespaceOwnersModel, permissionModel } from './permission.model.js';

/** A namespace in which nobody has a permission any more, whatever records there are. */
export interface ClosedNamespace {
  /** The namespace. */
  _id: string;
  closedAt: Date;
}

export const closedNamespaceModel = defineModel<ClosedNamespace>('closed_namespaces', { _id: id, closedAt: Date });

/**
 * Namespaces in which nobody has permissions any more (docs/adr/0036).
 * @param changeEpochs makes every replica load the grants of these subjects again
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
     * Marks the namespaces first: from then on, grants that are loaded from there are empty, even those of a record that is being
     * written meanwhile. The new epochs make every replica load them again.
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
      // A repetition closes them again, in case this one does not come to its end.
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
