import { permissionProfileIrn } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import type { Permission } from './permission.js';
import type { PermissionChanges, PermissionStore } from './ports.js';
import { isOwner } from './taking-away.js';

const BATCH = 100;

type Changer = Pick<PermissionStore, 'change'>;
/** Reads the records to remove, those after an id. */
type ReadBatch = (changes: PermissionChanges, after: string) => Promise<Permission[]>;

/** Removes what a subject that was deleted holds itself. May be repeated. */
export const removeHeldBy = (store: Changer, subject: Subject): Promise<void> =>
  removeAll(store, (changes, after) => changes.ofSubject(subject, after, BATCH));

/** Removes what a permission profile that was deleted holds, and what anybody holds on it. May be repeated. */
export async function removeProfile(store: Changer, _id: string, namespaces: string[]): Promise<void> {
  const irn = permissionProfileIrn(_id);
  await removeHeldBy(store, { _type: 'permprofile', _id });
  await removeAll(store, (changes, after) => changes.onResource(irn, namespaces, after, BATCH));
}

/** A namespace keeps its last record with `*` on `*:*:*` even then (docs/adr/0050). */
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
