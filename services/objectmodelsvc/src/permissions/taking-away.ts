import { permissionProfileIrn } from '@dtplatform/contracts';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { PermissionChanges } from './permission-changes.store.js';
import { holds, recordKey } from './permission.js';
import type { Permission } from './permission.js';
import type { PermissionStore } from './permissions.store.js';
import { isOwn } from './question.js';

type Actions = PermissionEntry['_actions'];

const EVERYTHING = '*:*:*';

/**
 * Decides what a write may remove: only actions that the caller holds, and never the last record with `*` on `*:*:*` of
 * a namespace. Records of deleted subjects do not count as owners. Keeps track of the earlier entries of the write.
 * @param stored the records in the transaction of the write
 * @param options.isAlive whether a subject exists now, and a group has members
 */
export function createTakingAway(
  changes: PermissionChanges,
  stored: PermissionEntry[],
  { access, isAlive }: { access: Access; isAlive: (subject: Subject) => Promise<boolean> },
) {
  const records = new Map(stored.map((record) => [recordKey(record), record]));
  const ownersByNamespace = new Map<string, Map<string, Subject>>();

  /** The owners of a namespace, by record key. */
  async function ownersOf(namespace: string): Promise<Map<string, Subject>> {
    const known = ownersByNamespace.get(namespace);
    if (known) return known;
    const loaded = [...(await changes.owners(namespace)), ...records.values()];
    const owners = loaded.filter((record) => record._namespace === namespace && isOwner(record));
    const byKey = new Map(owners.map((record) => [recordKey(record), record._user]));
    ownersByNamespace.set(namespace, byKey);
    return byKey;
  }

  async function isAnyAlive(subjects: Subject[]): Promise<boolean> {
    if (subjects.some((subject) => isOwn(subject, access))) return true;
    for (const subject of subjects) if (await isAlive(subject)) return true;
    return false;
  }

  async function removeOwner(record: PermissionEntry): Promise<void> {
    const owners = await ownersOf(record._namespace);
    const others = [...owners].filter(([key]) => key !== recordKey(record)).map(([, subject]) => subject);
    if (!(await isAnyAlive(others))) throw errors.lastOwner();
    owners.delete(recordKey(record));
  }

  return {
    /** Processes the next entry of the write. @throws mayNotRevoke, lastOwner */
    async replace(entry: PermissionEntry): Promise<void> {
      const before = records.get(recordKey(entry));
      for (const action of lostActions(before?._actions ?? [], entry._actions)) {
        if (!(await holds(access, action, entry))) throw errors.mayNotRevoke();
      }
      if (before && isOwner(before) && !isOwner(entry)) await removeOwner(before);
      if (isOwner(entry)) ownersByNamespace.get(entry._namespace)?.set(recordKey(entry), entry._user);
      records.set(recordKey(entry), entry);
    },
  };
}

/** The actions of a record that its replacement lacks. */
const lostActions = (before: Actions, after: Actions): Actions =>
  after.includes('*') ? [] : before.filter((action) => !after.includes(action));

const isOwner = ({ _resourceDesc, _actions }: PermissionEntry) =>
  _resourceDesc._irn === EVERYTHING &&
  !_resourceDesc._criteria &&
  !_resourceDesc._subresourceDesc &&
  _actions.includes('*');

const BATCH = 100;

type Changer = Pick<PermissionStore, 'change'>;
/** Reads the records to remove after an id. */
type ReadBatch = (changes: PermissionChanges, after: string) => Promise<Permission[]>;

/** Removes the permissions of a deleted subject. Idempotent. */
export const removeHeldBy = (store: Changer, subject: Subject): Promise<void> =>
  removeAll(store, (changes, after) => changes.ofSubject(subject, after, BATCH));

/** Removes the permissions of a deleted permission profile, and everybody's permissions on it. Idempotent. */
export async function removeProfile(store: Changer, _id: string, namespaces: string[]): Promise<void> {
  const irn = permissionProfileIrn(_id);
  await removeHeldBy(store, { _type: 'permprofile', _id });
  await removeAll(store, (changes, after) => changes.onResource(irn, namespaces, after, BATCH));
}

/** A namespace still keeps its last record with `*` on `*:*:*`. */
async function removeAll({ change }: Changer, read: ReadBatch): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const from: string = after;
    after = await change(async (changes) => removeBatch(changes, await read(changes, from)));
  }
}

/** @returns the last id of the batch; undefined when there was none */
async function removeBatch(changes: PermissionChanges, records: Permission[]): Promise<string | undefined> {
  const removable: Permission[] = [];
  for (const record of records) {
    const isLastOwner = isOwner(record) && (await changes.owners(record._namespace)).length <= 1;
    if (!isLastOwner) removable.push(record);
  }
  if (removable.length > 0) await changes.removeAll(removable);
  return records.at(-1)?._id;
}
