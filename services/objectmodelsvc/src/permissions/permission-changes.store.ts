import { MAX_PERMISSION_ENTRIES } from '@dtplatform/contracts';
import type { PermissionEntry, Precondition, Subject } from '@dtplatform/contracts';
import { absent, after, deleteIfMatch, newId, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Filter, Model, Mongo } from '@dtplatform/mongo';
import { PLATFORM } from './audit.store.js';
import type { PermissionAudit } from './audit.store.js';
import { recordKey } from './permission.js';
import type { Permission, WrittenPermission } from './permission.js';
import { namespaceOwnersModel, permissionModel } from './permission.model.js';

/** The reads and writes of one transaction. @param written called with the subjects that are about to change */
export function createPermissionChanges(
  { mongo, audit }: { mongo: Mongo; audit: PermissionAudit },
  session: ClientSession,
  written: (entries: PermissionEntry[]) => void,
) {
  const permissions: Model<Permission> = mongo.model(permissionModel);
  const namespaceOwners = mongo.model(namespaceOwnersModel);
  return {
    /** The stored records that the entries would replace. */
    replacedBy: (entries: PermissionEntry[]): Promise<Permission[]> =>
      permissions.find({ $or: entries.map(identityOf) }, null, { session, lean: true }),
    find: async (id: string): Promise<Permission | undefined> =>
      (await permissions.findById(id, null, { session, lean: true })) ?? undefined,
    /**
     * The records with `*` on `*:*:*` of a namespace, up to one more than a request can remove. Serializes transactions
     * on the same namespace.
     */
    async owners(namespace: string): Promise<PermissionEntry[]> {
      // Transactions that write the same document conflict.
      await namespaceOwners.updateOne({ _id: namespace }, {}, { session, upsert: true });
      const filter: Filter = { _namespace: namespace, '_resourceDesc._irn': '*:*:*', _actions: '*', ...WHOLE };
      return permissions.find(filter, null, { session, lean: true, limit: MAX_PERMISSION_ENTRIES + 1 });
    },
    /** The number of a subject's records with criteria in a namespace. */
    countLimited: (namespace: string, user: Subject): Promise<number> =>
      permissions.countDocuments({ ...ofUser(user, namespace), $nor: [WHOLE] }, { session }),
    /** A subject's own records after an id, in id order. */
    ofSubject: (subject: Subject, lastId: string, limit: number): Promise<Permission[]> =>
      permissions.find({ ...ofUser(subject), _id: after(lastId) }, null, {
        ...{ session, lean: true, limit, sort: { _id: 1 } },
      }),
    /** Records on exactly this resource name after an id, in id order. */
    onResource: (irn: string, namespaces: string[], lastId: string, limit: number): Promise<Permission[]> => {
      const filter = { _namespace: oneOf(namespaces), '_resourceDesc._irn': irn };
      return permissions.find({ ...filter, _id: after(lastId) }, null, {
        ...{ session, lean: true, limit, sort: { _id: 1 } },
      });
    },
    /** @param replaced the stored records that the entries replace */
    async put(entries: PermissionEntry[], replaced: PermissionEntry[], byId: string): Promise<WrittenPermission[]> {
      written(entries);
      await audit.record({ _change: 'GRANT', _byId: byId, entries: differences(entries, replaced) }, session);
      const upserts = entries.map((entry) => upsertOf(entry, byId));
      const { upsertedIds } = await permissions.bulkWrite(upserts, { session });
      const stored = await permissions.find({ $or: entries.map(identityOf) }, null, { session, lean: true });
      const byKey = new Map(stored.map((permission) => [recordKey(permission), permission]));
      return entries.map((entry, index) => {
        // Of several entries for the same record, each response shows its own actions.
        return { ...byKey.get(recordKey(entry))!, _actions: distinctActions(entry), isNew: index in upsertedIds };
      });
    },
    /** @returns the removed permission; undefined if it does not exist. @throws 412 when its revision does not match */
    async remove(permission: Permission, byId: string, precondition: Precondition): Promise<Permission | undefined> {
      written([permission]);
      await audit.record({ _change: 'REVOKE', _byId: byId, entries: [permission] }, session);
      return deleteIfMatch(permissions, permission._id, { precondition, session });
    },
    async removeAll(some: Permission[]): Promise<void> {
      written(some);
      await audit.record({ _change: 'REVOKE', _byId: PLATFORM, entries: some }, session);
      await permissions.deleteMany({ _id: oneOf(some.map(({ _id }) => _id)) }, { session });
    },
  };
}

export type PermissionChanges = ReturnType<typeof createPermissionChanges>;

/** The entries that change something, with the previous actions of their records. */
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

/** Records without criteria. */
export const WHOLE: Filter = { '_resourceDesc._criteria': absent(), '_resourceDesc._subresourceDesc': absent() };

const identityOf = ({ _namespace, _user, _resourceDesc }: PermissionEntry): Filter => ({
  ...ofUser(_user, _namespace),
  '_resourceDesc._irn': _resourceDesc._irn,
  '_resourceDesc._criteria': _resourceDesc._criteria ?? absent(),
  '_resourceDesc._subresourceDesc': _resourceDesc._subresourceDesc ?? absent(),
});

/** The records of a subject, in one namespace or in all. */
export const ofUser = ({ _type, _id }: Subject, namespace?: string): Filter => ({
  ...(namespace === undefined ? {} : { _namespace: namespace }),
  '_user._type': _type,
  '_user._id': _id,
});
