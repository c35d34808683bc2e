import { MAX_PERMISSION_ENTRIES } from '@dtplatform/contracts';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import { deleteIfMatch, newId, trusted } from '@dtplatform/mongo';
import type { ClientSession, Filter, Model, Mongo } from '@dtplatform/mongo';
import { recordKey } from '../../domain/permissions/permission.js';
import type { Permission } from '../../domain/permissions/permission.js';
import type { PermissionChanges } from '../../domain/permissions/ports.js';
import { namespaceOwnersModel } from './namespace-owners.model.js';
import { PLATFORM } from './permission-audit.js';
import type { PermissionAudit } from './permission-audit.js';
import { permissionModel } from './permission.model.js';

/** What one transaction reads and writes. @param written called with what it is about to change */
export function createPermissionChanges(
  { mongo, audit }: { mongo: Mongo; audit: PermissionAudit },
  session: ClientSession,
  written: (entries: PermissionEntry[]) => void,
): PermissionChanges {
  const permissions: Model<Permission> = mongo.model(permissionModel);
  const namespaceOwners = mongo.model(namespaceOwnersModel);
  return {
    replacedBy: (entries) => permissions.find({ $or: entries.map(identityOf) }, null, { session, lean: true }),
    find: async (id) => (await permissions.findById(id, null, { session, lean: true })) ?? undefined,
    async owners(namespace) {
      // Transactions that write the same document do not run at the same time.
      await namespaceOwners.updateOne({ _id: namespace }, {}, { session, upsert: true });
      const filter: Filter = { _namespace: namespace, '_resourceDesc._irn': '*:*:*', _actions: '*', ...WHOLE };
      return permissions.find(filter, null, { session, lean: true, limit: MAX_PERMISSION_ENTRIES + 1 });
    },
    countLimited: (namespace, user) =>
      permissions.countDocuments({ ...ofUser(user, namespace), $nor: [WHOLE] }, { session }),
    ofSubject: (subject, after, limit) =>
      permissions.find({ ...ofUser(subject), _id: trusted({ $gt: after }) }, null, {
        ...{ session, lean: true, limit, sort: { _id: 1 } },
      }),
    onResource: (irn, namespaces, after, limit) => {
      const filter = { _namespace: trusted({ $in: namespaces }), '_resourceDesc._irn': irn };
      return permissions.find({ ...filter, _id: trusted({ $gt: after }) }, null, {
        ...{ session, lean: true, limit, sort: { _id: 1 } },
      });
    },
    async put(entries, replaced, byId) {
      written(entries);
      await audit.record({ _change: 'GRANT', _byId: byId, entries: differences(entries, replaced) }, session);
      const upserts = entries.map((entry) => upsertOf(entry, byId));
      const { upsertedIds } = await permissions.bulkWrite(upserts, { session });
      const stored = await permissions.find({ $or: entries.map(identityOf) }, null, { session, lean: true });
      const byKey = new Map(stored.map((permission) => [recordKey(permission), permission]));
      return entries.map((entry, index) => {
        // Of several entries for the same record, each reply shows its own actions.
        return { ...byKey.get(recordKey(entry))!, _actions: distinctActions(entry), isNew: index in upsertedIds };
      });
    },
    async remove(permission, byId, precondition) {
      written([permission]);
      await audit.record({ _change: 'REVOKE', _byId: byId, entries: [permission] }, session);
      return deleteIfMatch(permissions, permission._id, { precondition, session });
    },
    async removeAll(some) {
      written(some);
      await audit.record({ _change: 'REVOKE', _byId: PLATFORM, entries: some }, session);
      await permissions.deleteMany({ _id: trusted({ $in: some.map(({ _id }) => _id) }) }, { session });
    },
  };
}

/** The entries that change something, each with the actions of the record that it replaces. */
function differences(entries: PermissionEntry[], before: PermissionEntry[]) {
  const held = new Map(before.map((record) => [recordKey(record), record._actions]));
  return entries.flatMap((entry) => {
    const key = recordKey(entry);
    const [_actions, _previousActions] = [distinctActions(entry), held.get(key)];
    held.set(key, _actions);
    const isSame =
      _previousActions?.length === _actions.length && _actions.every((one) => _previousActions.includes(one));
    return isSame ? [] : [{ ...entry, _actions, ...(_previousActions && { _previousActions }) }];
  });
}

const distinctActions = ({ _actions }: PermissionEntry) => [...new Set(_actions)];

/** A bulk write does not raise revisions by itself. */
function upsertOf(entry: PermissionEntry, byId: string) {
  const now = Date.now();
  const update = {
    $set: { _actions: distinctActions(entry), '_metadata._updatedAt': now, '_metadata._updatedById': byId },
    $setOnInsert: { _id: newId(), '_metadata._createdAt': now, '_metadata._createdById': byId },
    $inc: { _revision: 1 },
  };
  return { updateOne: { filter: identityOf(entry), update, upsert: true } };
}

const ABSENT = trusted({ $exists: false });
/** Records without criteria. */
export const WHOLE: Filter = { '_resourceDesc._criteria': ABSENT, '_resourceDesc._subresourceDesc': ABSENT };

const identityOf = ({ _namespace, _user, _resourceDesc }: PermissionEntry): Filter => ({
  ...ofUser(_user, _namespace),
  '_resourceDesc._irn': _resourceDesc._irn,
  '_resourceDesc._criteria': _resourceDesc._criteria ?? ABSENT,
  '_resourceDesc._subresourceDesc': _resourceDesc._subresourceDesc ?? ABSENT,
});

/** The records of a subject, in one namespace or in all. */
export const ofUser = ({ _type, _id }: Subject, namespace?: string): Filter => ({
  ...(namespace === undefined ? {} : { _namespace: namespace }),
  '_user._type': _type,
  '_user._id': _id,
});
